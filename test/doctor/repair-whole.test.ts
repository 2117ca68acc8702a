// A complete repair, request by request: no change without its dry run and its preconditions, and no request to a busy runner.
import type { Request } from '@dayfly/kit/http'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { defineCustomKinds } from '../kubernetes/custom-kinds.ts'
import { makeIncidents } from '../kubernetes/incidents.ts'
import { makeHopeless } from './hopeless-pods.fixture.ts'
import { sayRequest } from './recording-proxy.ts'
import { linesOf, openRepairStage, type RepairStage } from './repair-stage.fixture.ts'

let stage: RepairStage
beforeEach(async () => {
  stage = await openRepairStage()
})
afterEach(() => stage.end())

it('tries each change first with the same preconditions, keeps the previous state, and leaves busy runners alone', async () => {
  const { registry, kubernetes, clock } = stage
  await defineCustomKinds(kubernetes)
  await makeIncidents({ kubernetes, name: 'site', now: clock.now })
  const busy = makeHopeless(stage)
  stage.endPods()
  const before = busy.map(({ resource, name }) => registry.get(resource, 'runners', name))

  const fix = ['--remove-finalizers', '--fix']
  const { code, stderr } = await stage.doctor(...fix, '--confirm', await stage.digest(...fix))
  expect(stderr).toMatch(/^ {2}not touched: Pod runners\/arc-busy: it may be busy: its status at ARC names a job$/m)
  expect(stderr).toMatch(/^ {2}not touched: Pod runners\/arc-zombie and 4 more: ARC's controller does not run/m)
  expect(stderr).toMatch(/^(\d+) of \1 steps done$/m)
  expect(code).toBe(0)

  const log = linesOf(stage, 'log').filter(({ step, outcome }) => step !== undefined && outcome !== 'begun')
  expect(new Set(log.map(({ rule }) => rule))).toEqual(
    new Set([
      'orphan-completed-pods',
      'stuck-terminating',
      'tracking-finalizer-stuck',
      'uninstall-stuck',
      'zombie-runner-pod',
    ]),
  )
  // The last line of a deletion comes when its object is gone.
  expect(linesOf(stage, 'images').map(({ step }) => step)).toEqual(
    log.map(({ step = 0 }) => step).sort((a, b) => a - b),
  )

  const changes = stage.proxy.exchanges.filter(({ purpose }) => purpose === 'change')
  expect(changes).toHaveLength(log.length)
  for (const change of changes) {
    const tried = stage.proxy.exchanges
      .slice(0, stage.proxy.exchanges.indexOf(change))
      .findLast(({ purpose }) => purpose === 'trial')
    expect(changeOf(tried?.request)).toEqual(changeOf(change.request))
    expect([sayRequest(change), lacksOf(change.request)]).toEqual([sayRequest(change), []])
  }

  const asked = stage.proxy.exchanges
    .filter(({ purpose }) => purpose === 'change' || purpose === 'trial')
    .map(sayRequest)
  for (const { name } of busy) expect(asked.filter((words) => words.endsWith(`/${name}`))).toEqual([])
  expect(busy.map(({ resource, name }) => registry.get(resource, 'runners', name))).toEqual(before)
  expect(registry.get('pods', 'site-runners', 'busy')?.metadata.deletionTimestamp).toBeUndefined()
})

/** The request without its dry-run flag. */
function changeOf(request: Request | undefined): object {
  const { dryRun: _, ...body } = bodyOf(request)
  const { dryRun: __, ...query } = request?.query ?? {}
  return { method: request?.method, path: request?.path, query, body }
}

/** The preconditions that bind the change to one object at one version. */
function lacksOf(request: Request): readonly string[] {
  const { preconditions, propagationPolicy, ...operations } = bodyOf(request)
  if (request.method === 'DELETE') {
    const { uid, resourceVersion } = (preconditions ?? {}) as Record<string, unknown>
    return [
      ...(uid ? [] : ['uid']),
      ...(resourceVersion ? [] : ['resourceVersion']),
      ...(propagationPolicy === 'Background' ? [] : ['background']),
    ]
  }
  const steps = Object.values(operations) as readonly { op: string; path: string; value?: unknown }[]
  const tested = steps.filter(({ op, value }) => op === 'test' && value).map(({ path }) => path)
  const [last, ...others] = steps.filter(({ op }) => op !== 'test')
  const isOneFinalizer = last?.op === 'remove' && /^\/metadata\/finalizers\/\d+$/.test(last.path) && others.length === 0
  const wanted = ['/metadata/uid', '/metadata/resourceVersion', last?.path ?? '']
  return [...wanted.filter((path) => !tested.includes(path)), ...(isOneFinalizer ? [] : ['one finalizer alone'])]
}

function bodyOf(request: Request | undefined): Readonly<Record<string, unknown>> {
  return request?.body.kind === 'json' ? (request.body.value as Record<string, unknown>) : {}
}

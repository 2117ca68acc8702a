// A RunnerSet with sizes: each size is a RunnerSet of its own, a scale set at GitHub, and a member of one pool.
import { readFileSync } from 'node:fs'
import type { Request } from '@dayfly/kit/http'
import { isJsonObject } from '@dayfly/kit/read-json'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { Kubelet } from './kubelet.ts'
import { events, openStage, origin, podNames, queue, runnerSetObject, type Stage, secrets, status } from './stage.ts'

const sets = 'runnersets.dayfly.dev'
const seconds = (count: number) => count * 1_000
const github = { url: `${origin}/acme`, credentials: { secret: 'github' }, labels: ['x64'] }
const small = { name: 'small', resources: { requests: { cpu: '1' } } }
const large = {
  name: 'large',
  labels: ['big'],
  floor: 1,
  max: 2,
  template: { spec: { nodeSelector: { size: 'large' } } },
}

const sized = (sizes: readonly object[], over: object = {}) => ({ github, scale: { max: 4 }, sizes, ...over })

const open = async (options: object = {}) => {
  const stage = await openStage({ spec: sized([small, large]), forgeMs: 150, apiMs: 50, ...options })
  await stage.clock.advance(seconds(10))
  return stage
}

const names = (stage: Stage) => stage.registry.list(sets).map(({ metadata }) => metadata.name)
const get = (stage: Stage, name: string) => stage.registry.get(sets, 'ci', name)

/** Changes the spec as an operator does. */
function edit(stage: Stage, name: string, spec: object): void {
  const object = get(stage, name)
  stage.registry.update(sets, { ...object, spec: { ...Object(object?.['spec']), ...spec } } as never)
}

const specOf = (stage: Stage, name: string) => {
  const spec = get(stage, name)?.['spec']
  return isJsonObject(spec) ? spec : {}
}

it('each size runs its own jobs under one ceiling, and the set shows the sum', async () => {
  const stage = await open()
  expect(names(stage)).toEqual(['linux', 'linux-large', 'linux-small'])
  const container = { name: 'runner', resources: { requests: { cpu: '1' } } }
  expect(specOf(stage, 'linux-small')).toMatchObject({ template: { spec: { containers: [container] } } })
  expect(specOf(stage, 'linux-large')).toMatchObject({
    github: { labels: ['x64', 'big'] },
    scale: { max: 2, pool: { name: 'linux', max: 4, floor: 1 } },
    template: { spec: { nodeSelector: { size: 'large' } } },
  })
  queue(stage, 8, 'linux-small')
  queue(stage, 4, 'big')
  const kubelets = [new Kubelet(stage, 'linux-small'), new Kubelet(stage, 'linux-large')]
  const ended = () => kubelets.reduce((sum, kubelet) => sum + kubelet.ended.size, 0)
  const most = { all: 0, busy: 0 }
  for (let tenth = 0; tenth < 6_000 && ended() < 12; tenth++) {
    for (const kubelet of kubelets) await kubelet.work()
    most.all = Math.max(most.all, podNames(stage).length)
    most.busy = Math.max(most.busy, Number(status(stage)['busy'] ?? 0))
    await stage.clock.advance(100)
  }
  expect([ended(), most.all]).toEqual([12, 4])
  expect(most.busy).toBeGreaterThan(2)
  await stage.clock.advance(seconds(5))
  expect(status(stage)).toMatchObject({ demand: 0, busy: 0, conditions: [{ type: 'Ready', status: 'True' }] })
  expect(kubelets.map(({ ended: { size } }) => size)).toEqual([8, 4])
})

it('the example of the guide makes its two sizes', async () => {
  const page = readFileSync(new URL('../../docs/guide/sizes.md', import.meta.url), 'utf8')
  const [, example = ''] = /```yaml\n([\s\S]*?)```/.exec(page) ?? []
  const { spec } = parse(example)
  const stage = await open({ set: 'ci', spec: { ...spec, github: { ...spec.github, url: `${origin}/acme` } } })
  expect(names(stage)).toEqual(['ci', 'ci-large', 'ci-small'])
  expect(specOf(stage, 'ci-large')).toMatchObject({
    scale: { min: 0, max: 6, pool: { name: 'ci', max: 20, floor: 1, weight: 3 } },
    template: { spec: { nodeSelector: { pool: 'large' }, containers: [{ resources: { requests: { cpu: '8' } } }] } },
  })
})

it('a size that is taken away finishes its job before its RunnerSet goes', async () => {
  const stage = await open()
  queue(stage, 1, 'big')
  await stage.clock.advance(seconds(5))
  const kubelet = new Kubelet(stage, 'linux-large')
  await kubelet.work()
  edit(stage, 'linux', { sizes: [small] })
  await stage.clock.advance(seconds(20))
  expect(names(stage)).toContain('linux-large')
  expect(specOf(stage, 'linux-large')).toMatchObject({ paused: true })
  for (let second = 0; second < 60; second++) {
    await kubelet.work()
    await stage.clock.advance(seconds(1))
  }
  expect(kubelet.ended.size).toBe(1)
  expect([names(stage), podNames(stage), secrets(stage)]).toEqual([['linux', 'linux-small'], [], []])
})

it('a changed set changes its sizes, a change by hand is undone, and a new leader does nothing twice', async () => {
  const killed = new Set<string>()
  const stage = await open({ killed })
  edit(stage, 'linux', { scale: { max: 9 } })
  edit(stage, 'linux-small', { keepFailed: '1h' })
  await stage.clock.advance(seconds(5))
  expect(specOf(stage, 'linux-small')).toMatchObject({ scale: { max: 9, pool: { max: 9 } }, keepFailed: '10m' })
  killed.add('controller-1')
  stage.controller = stage.start('controller-2')
  await stage.clock.advance(seconds(60))
  edit(stage, 'linux', { paused: true })
  await stage.clock.advance(seconds(5))
  expect([specOf(stage, 'linux-small')['paused'], specOf(stage, 'linux-large')['paused']]).toEqual([true, true])
  expect(events(stage, 'size-applied').map(({ did }) => did)).toEqual([
    ...['create', 'create', 'change', 'change', 'change', 'change'],
  ])
})

it('a RunnerSet of the same name is left alone, unless the size adopts it', async () => {
  const stage = await openStage({ set: 'linux-small', forgeMs: 150, apiMs: 50 })
  queue(stage, 1, 'linux-small')
  await stage.clock.advance(seconds(5))
  const [runner] = podNames(stage)
  const { uid } = get(stage, 'linux-small')?.metadata ?? {}
  stage.registry.create(sets, runnerSetObject('linux', sized([small, large])))
  await stage.clock.advance(seconds(5))
  expect(status(stage)).toMatchObject({
    lastReason: 'set-name-taken',
    conditions: [{ type: 'Ready', status: 'False', reason: 'SetNameTaken', message: expect.stringContaining('adopt') }],
  })
  expect(names(stage)).toContain('linux-large')
  expect(specOf(stage, 'linux-small')['scale']).not.toHaveProperty('pool')
  edit(stage, 'linux', { sizes: [{ ...small, adopt: true }, large] })
  await stage.clock.advance(seconds(5))
  expect(get(stage, 'linux-small')?.metadata).toMatchObject({ uid, ownerReferences: [{ name: 'linux' }] })
  expect(specOf(stage, 'linux-small')['scale']).toHaveProperty('pool')
  expect(podNames(stage)).toEqual([runner])
})

it('without the right to write RunnerSets, the set says so and tries again', async () => {
  let refused = true
  const why = 'runnersets.dayfly.dev is forbidden: User "dayfly" cannot create resource "runnersets"'
  const stage = await open({
    apiFault: ({ method, path }: Request) =>
      refused && method === 'POST' && /\/runnersets(\?|$)/.test(path)
        ? {
            status: 403,
            headers: {},
            body: { kind: 'json', value: { kind: 'Status', code: 403, reason: 'Forbidden', message: why } },
          }
        : undefined,
  })
  expect(names(stage)).toEqual(['linux'])
  expect(status(stage)).toMatchObject({ lastReason: 'rights-missing', conditions: [{ status: 'False' }] })
  expect(events(stage, 'size-failed')).toHaveLength(1)
  refused = false
  await stage.clock.advance(seconds(120))
  expect(names(stage)).toEqual(['linux', 'linux-large', 'linux-small'])
})

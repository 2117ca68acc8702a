// Tests the definition of RunnerSet on a real API server: its cost, its rules in the words of the embedded one, defaults, and server-side apply.
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { createRegistry } from '@dayfly/cluster/api/create-registry'
import { ApiError } from '@dayfly/cluster/api/errors'
import { createStore } from '@dayfly/cluster/store/store'
import { runnerSets } from '@dayfly/controller/resources'
import { writeStatus } from '@dayfly/controller/write-status'
import { seededRandom } from '@dayfly/kit/random'
import { systemClock } from '@dayfly/kit/system'
import { virtualClock } from '@dayfly/kit/virtual-clock'
import { connect } from '@dayfly/kubernetes/connect'
import { KubernetesError } from '@dayfly/kubernetes/errors'
import { loadKubeconfig } from '@dayfly/kubernetes/kubeconfig'
import type { KubeObject } from '@dayfly/kubernetes/types'
import { runnerSetCrd } from '@dayfly/runner-set/config/crd'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { runnerSetExample } from '../../scripts/runner-set-page.ts'
import { crds, createPlace, eventually } from './client-place.ts'
import { kubeconfig, whyNone } from './cluster.ts'
import { findKubectl } from './kubectl.ts'

type Json = Readonly<Record<string, unknown>>

const execute = promisify(execFile)
const file = kubeconfig
if (file) describe('the definition of RunnerSet', () => suite(file))
else describe('the definition of RunnerSet', () => it('on a real API server', (context) => context.skip(whyNone)))

function suite(file: string): void {
  const { kubernetes, namespace } = createPlace(async () => connect(await loadKubeconfig(file), systemClock()))
  const definition = runnerSetCrd() as unknown as KubeObject
  const folder = mkdtempSync(path.join(tmpdir(), 'dayfly-definition-'))
  let program = ''
  let mine = false

  const github = { url: 'https://github.com/acme', credentials: { secret: 'app' } }
  const document = (name: string, spec: Json, metadata: Json = {}): KubeObject => ({
    apiVersion: 'dayfly.dev/v1alpha1',
    kind: 'RunnerSet',
    metadata: { ...metadata, name, namespace },
    spec,
  })
  const kubectl = async (...args: readonly string[]) =>
    (
      await execute(program, [
        '--kubeconfig',
        file,
        '--cache-dir',
        path.join(folder, 'cache'),
        '-n',
        namespace,
        ...args,
      ])
    ).stdout
  const apply = async (manager: string, object: Json) => {
    const at = path.join(folder, `${manager}.yaml`)
    writeFileSync(at, stringify(object))
    return await kubectl('apply', '--server-side', `--field-manager=${manager}`, '-f', at)
  }

  beforeAll(async () => {
    const found = await findKubectl()
    if (found.is === 'missing') throw new Error(found.why)
    program = found.program
    // Creation proves that the rules compile and that their cost is within the API server's budget.
    mine = await kubernetes.create(crds, definition).then(
      () => true,
      (error: unknown) => {
        if (error instanceof KubernetesError && error.kind === 'already-exists') return false
        throw error
      },
    )
    await eventually('the new kind is served', async () => {
      await kubernetes.list(runnerSets, { namespace })
      return true
    })
  })
  afterAll(async () => {
    if (mine) await kubernetes.delete(crds, { name: definition.metadata.name })
    rmSync(folder, { recursive: true, force: true })
  })

  const refused: readonly (readonly [string, Json])[] = [
    ['min above max', { github, scale: { min: 5, max: 1 } }],
    ['no forge', { scale: { max: 1 } }],
    ['two sources of a CA', { github: { ...github, ca: { configMap: 'a', secret: 'b' } }, scale: { max: 1 } }],
    ['pods that are kept too long', { github, scale: { max: 1 }, keepFinished: '25h', keepFailed: '1000h' }],
    ['a life of no length', { github, scale: { max: 1 }, lifeMax: '0s' }],
    ['a duration of another form', { github, scale: { max: 1 }, lifeMax: '1d' }],
    ['a duration of six digits', { github, scale: { max: 1 }, lifeMax: '100000h' }],
    ['a label twice', { github: { ...github, labels: ['a', 'a'] }, scale: { max: 1 } }],
    ['an unknown kind of Docker', { github, scale: { max: 1 }, docker: 'dind' }],
  ]

  it.each(refused)('refuses %s in the words of the embedded API server', async (_name, spec) => {
    const real = await kubernetes.create(runnerSets, document('refused', spec)).then(
      () => [],
      (error: unknown) => causesOf(error instanceof KubernetesError ? error.causes : []),
    )
    expect(real).not.toEqual([])
    expect(real.toSorted()).toEqual(embeddedRefusal(document('refused', spec)).toSorted())
  })

  it('refuses min above max with the path, the sentence and the next step', async () => {
    const object = document('refused', { github, scale: { min: 5, max: 1 } })
    const error = await apply('user', object).catch((error: { stderr?: string }) => error)
    expect(error).toMatchObject({
      stderr: expect.stringContaining('spec.scale.min: Invalid value: min is above max: lower min or raise max'),
    })
  })

  it('stores the example of the page, with every default', async () => {
    const { object } = await kubernetes.create(runnerSets, document('example', runnerSetExample.spec))
    expect(object['spec']).toEqual(runnerSetExample.spec)
    const small = await kubernetes.create(runnerSets, document('small', { github, scale: { max: 1 } }))
    expect(small.object['spec']).toEqual({
      github,
      scale: { min: 0, max: 1 },
      ...{
        paused: false,
        docker: 'none',
        jobs: 'host',
        templateChecks: 'enforce',
        keepFinished: '0s',
        keepFailed: '10m',
        startMax: '10m',
      },
    })
  })

  it('keeps the URL of a set', async () => {
    await kubernetes.create(runnerSets, document('kept', { github, scale: { max: 1 } }))
    const body = { spec: { github: { url: 'https://github.com/other' } } }
    const change = kubernetes.patch(runnerSets, { namespace, name: 'kept' }, { type: 'merge', body })
    await expect(change).rejects.toThrow('the URL cannot change')
  })

  it('lets two managers apply their own fields twice without a conflict', async () => {
    const team = {
      github: { ...github, labels: ['team'] },
      scale: { max: 5 },
      template: { metadata: { labels: { team: 'a' } }, spec: { nodeSelector: { pool: 'ci' } } },
    }
    const platform = {
      github: { labels: ['platform'], proxy: { url: 'http://proxy:3128', noProxy: ['.svc'] } },
      scale: { min: 1 },
      keepFailed: '1h',
      template: { metadata: { annotations: { owner: 'platform' } }, spec: { priorityClassName: 'ci' } },
    }
    for (const round of [1, 2]) {
      await apply('team', document('shared', { ...team, scale: { max: 4 + round } }))
      await apply('platform', document('shared', platform))
    }
    const { spec } = JSON.parse(await kubectl('get', 'runnerset', 'shared', '-o', 'json'))
    expect(spec).toMatchObject({
      github: { url: github.url, labels: expect.arrayContaining(['team', 'platform']), proxy: { noProxy: ['.svc'] } },
      scale: { min: 1, max: 6 },
      keepFailed: '1h',
      docker: 'none',
      template: {
        metadata: { labels: { team: 'a' }, annotations: { owner: 'platform' } },
        spec: { nodeSelector: { pool: 'ci' }, priorityClassName: 'ci' },
      },
    })
    const conflict = await apply('platform', document('shared', { ...platform, scale: { min: 1, max: 9 } })).catch(
      (error: { stderr?: string }) => error,
    )
    expect(conflict).toMatchObject({ stderr: expect.stringMatching(/conflict with "team".*\.spec\.scale\.max/s) })
    await apply('platform', document('shared', { keepFailed: '1h' }))
    const after = JSON.parse(await kubectl('get', 'runnerset', 'shared', '-o', 'json')).spec
    expect(after).toMatchObject({ github: { labels: ['team'] }, scale: { min: 0, max: 6 } })
    expect(after.github).not.toHaveProperty('proxy')
  })

  it('lets a manager replace one source of a CA by the other', async () => {
    const withCa = (ca: Json) => document('ca', { github: { ...github, ca }, scale: { max: 1 } })
    await apply('user', withCa({ configMap: 'a' }))
    await apply('user', withCa({ secret: 'b' }))
    const { spec } = JSON.parse(await kubectl('get', 'runnerset', 'ca', '-o', 'json'))
    expect(spec.github.ca).toEqual({ secret: 'b', key: 'ca.crt' })
  })

  it('is explained field by field, and found by its short name and category', async () => {
    const text = await kubectl('explain', 'runnerset.spec', '--recursive=false')
    for (const field of ['docker', 'paused', 'templateChecks', 'keepFailed', 'lifeMax']) {
      expect(text).toMatch(new RegExp(`^ {2}${field}\\t?[^]*?\\n {4}\\S`, 'm'))
    }
    expect(await kubectl('explain', 'runnerset.status.conditions.reason')).toContain('The reason in one word.')
    expect(await kubectl('explain', 'runnerset.spec.github.ca.key')).toContain('The key of the PEM text')
    expect(await kubectl('get', 'rset,dayfly')).toMatch(
      /NAME +DEMAND +IDLE +BUSY +PENDING +FAILED +MAX +READY +REASON +AGE/,
    )
  })

  it('takes a status with every field, and kubectl waits for its conditions', async () => {
    const at = { namespace, name: 'reported' }
    const { object } = await kubernetes.create(runnerSets, document('reported', { github, scale: { max: 1 } }))
    const { uid = '' } = object.metadata
    const lastTransitionTime = '2026-01-01T00:00:00Z'
    const condition = {
      type: 'Ready',
      status: 'True',
      reason: 'Ready',
      message: 'm',
      observedGeneration: 1,
      lastTransitionTime,
    }
    const status = {
      observedGeneration: 1,
      ...{ demand: null, idle: 0, busy: 1, pending: 2, failed: 3, lastReason: null, lastMessage: 'x' },
      forge: { scaleSet: '7' },
      conditions: [condition],
    }
    const until = new AbortController().signal
    // The first two writes come at once, and neither finds a status.
    const usage = { milliCpu: [{ upTo: 100, jobs: 1 }], memoryMiB: [], seconds: [] }
    const write = (fields: object, to = uid) => writeStatus(kubernetes, { ...at, uid: to }, fields, until)
    await Promise.all([write({ ...status, announced: 1 }), write({ usage })])
    await write({ announced: null })
    await expect(write({ idle: 5 }, 'another')).rejects.toMatchObject({ kind: 'not-found' })
    await expect(write({ idle: 'x' })).rejects.toMatchObject({ kind: 'invalid' })
    const { demand: _, lastReason: __, ...known } = status
    expect((await kubernetes.get(runnerSets, at))['status']).toEqual({ ...known, usage })
    expect(await kubectl('wait', 'runnerset/reported', '--for=condition=Ready', '--timeout=10s')).toContain(
      'condition met',
    )
  })
}

function causesOf(causes: readonly { readonly field?: string; readonly message: string }[]): readonly string[] {
  return causes.map(({ field, message }) => `${field}: ${message}`)
}

function embeddedRefusal(object: KubeObject): readonly string[] {
  const server = createRegistry({ store: createStore(), clock: virtualClock(), random: seededRandom(1) })
  server.create('namespaces', { metadata: { name: object.metadata.namespace } })
  server.create('customresourcedefinitions.apiextensions.k8s.io', runnerSetCrd())
  try {
    server.create('runnersets.dayfly.dev', object)
    return []
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return causesOf(error.status.details?.causes ?? [])
  }
}

// The usage of jobs, from the metrics API through the status of the set to `dayfly explain`, at real latency.
import { usageJson, usageLines } from '@dayfly/controller/command/show-usage'
import { viewSet } from '@dayfly/controller/operate/set-view'
import type { Answer, Request } from '@dayfly/kit/http'
import type { KubeObject } from '@dayfly/kubernetes/types'
import { expect, it } from 'vitest'
import {
  confirmDeletions,
  end,
  events,
  namespace,
  openStage,
  podNames,
  pods,
  queue,
  type Stage,
  status,
  succeeded,
  takeJob,
} from './stage.ts'

const seconds = (count: number) => count * 1_000
const resources = { requests: { cpu: '4', memory: '1Gi' }, limits: { memory: '1Gi' } }
const template = { spec: { containers: [{ name: 'runner', resources }] } }
const metricsPath = `/apis/metrics.k8s.io/v1beta1/namespaces/${namespace}/pods`

/** Opens a stage whose metrics API answers so. The requests to it are counted. */
async function open(answer: (stage: Stage) => Answer | undefined) {
  const asked: Request[] = []
  const apiFault = (request: Request) => {
    if (request.path !== metricsPath) return undefined
    asked.push(request)
    return answer(stage)
  }
  const stage: Stage = await openStage({ forgeMs: 150, apiMs: 150, apiFault, spec: { scale: { max: 10 }, template } })
  return { stage, asked }
}

const json = (status: number, value: unknown): Answer => ({ status, headers: {}, body: { kind: 'json', value } })

/** The list of a metrics-server: it has no resourceVersion. */
function metricsOf(stage: Stage, usage: object): Answer {
  const items = pods(stage).map(({ metadata: { name } }) => ({
    metadata: { name, namespace },
    timestamp: new Date(stage.clock.now() - 5_000).toISOString(),
    window: '15s',
    containers: [{ name: 'runner', usage }],
  }))
  return json(200, { kind: 'PodMetricsList', apiVersion: 'metrics.k8s.io/v1beta1', metadata: {}, items })
}

/** Begins jobs on new runners. Returns their names. */
async function begin(stage: Stage, count: number): Promise<readonly string[]> {
  queue(stage, count)
  await stage.clock.advance(seconds(5))
  const names = podNames(stage)
  expect(names).toHaveLength(count)
  for (const name of names) await takeJob(stage, name)
  return names
}

async function finish(stage: Stage, names: readonly string[]): Promise<void> {
  for (const name of names) {
    stage.emulator.control.stub.finish(name, succeeded)
    end(stage, name)
  }
  await stage.clock.advance(seconds(5))
  confirmDeletions(stage)
  await stage.clock.advance(seconds(70))
}

const viewOf = (stage: Stage) =>
  viewSet(stage.registry.get('runnersets.dayfly.dev', namespace, 'linux') as unknown as KubeObject)
const shown = (stage: Stage) => usageLines(viewOf(stage), 200).join('\n')

it('compares what jobs used with their requests, over a change of the leader', async () => {
  const { stage, asked } = await open((of) => metricsOf(of, { cpu: '523456789n', memory: '996Mi' }))
  await stage.clock.advance(seconds(120))
  expect(asked).toEqual([])
  const first = await begin(stage, 10)
  await stage.clock.advance(seconds(240))
  expect(asked.length).toBeGreaterThanOrEqual(7)
  expect(asked.length).toBeLessThanOrEqual(10)
  expect(asked[0]?.query).toEqual({ labelSelector: 'dayfly.dev/set' })
  await finish(stage, first)
  expect(shown(stage)).toContain('CPU: Known of 10 jobs so far.')
  const second = await begin(stage, 10)
  await stage.clock.advance(seconds(60))
  const next = stage.start('controller-2')
  await stage.clock.advance(seconds(2))
  const stopping = stage.controller.stop()
  await stage.clock.advance(seconds(60))
  await stopping
  await finish(stage, second)
  expect(shown(stage).split('\n').slice(1)).toEqual([
    'Usage of the last 20 jobs:',
    '  CPU: Runners request 4 CPU, and 95 of 100 jobs use at most 0.58 CPU. Request 700m instead: more runners fit on a node.',
    '  Memory: The limit is 1 GiB, and a job used more than 922 MiB. The next one may be killed (OOMKilled): raise the limit and the request to 1536Mi.',
    '  Time: Half of the jobs took at most 3 min, and 95 of 100 at most 5 min.',
  ])
  expect(usageJson(viewOf(stage))).toMatchObject({ jobs: 20, cpu: { jobs: 20, request: 4, suggested: '700m' } })
  const nextStopping = next.stop()
  await stage.clock.advance(seconds(10))
  await nextStopping
})

it.each([
  ['403', json(403, { kind: 'Status', code: 403, reason: 'Forbidden', message: 'no' }), 1],
  ['404', json(404, { kind: 'Status', code: 404, reason: 'NotFound', message: 'the server could not find it' }), 1],
  ['503', json(503, { kind: 'Status', code: 503, reason: 'ServiceUnavailable', message: 'no endpoints' }), 5],
  ['no list', json(200, { items: 'many' }), 50],
])('knows the times of jobs when the metrics API answers %s, and is silent about it', async (_, answer, most) => {
  const { stage, asked } = await open(() => answer)
  const names = await begin(stage, 2)
  await stage.clock.advance(seconds(240))
  expect(asked.length).toBeGreaterThanOrEqual(1)
  expect(asked.length).toBeLessThanOrEqual(most)
  await finish(stage, names)
  expect(status(stage)['usage']).toMatchObject({ milliCpu: [], memoryMiB: [], seconds: [{ jobs: 2 }] })
  expect(shown(stage)).toContain('CPU: Not known: no job has been measured.')
  expect([...events(stage, 'write-failed'), ...events(stage, 'watch-failed')]).toEqual([])
})

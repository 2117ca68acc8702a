// A problem of a template is reported once, and not again for each object that a controller made from it.
import { afterEach, beforeEach, expect, test } from 'vitest'
import { job, type LiveStage, openLiveStage, pod, runner, work } from './live-stage.fixture.ts'

let stage: LiveStage
beforeEach(async () => {
  stage = await openLiveStage()
})
afterEach(() => stage.cluster.stop())

const lifecycle = { postStart: { exec: { command: ['sh', '-c', 'wait-for-it'] } } }
const hazard = { shareProcessNamespace: true, containers: [{ ...work, lifecycle }] }
const labels = { app: 'a', 'pod-template-hash': '6b7f' }

const ownedBy = ({ apiVersion, kind, metadata }: Awaited<ReturnType<LiveStage['create']>>) => [
  { apiVersion, kind, name: metadata.name, uid: metadata.uid, controller: true, blockOwnerDeletion: true },
]

const workload = (kind: string, name: string, metadata: object = {}) => ({
  kind,
  metadata: { name, labels, ...metadata },
  spec: {
    selector: { matchLabels: { app: 'a' } },
    template: { metadata: { labels }, spec: hazard },
    ...(kind === 'StatefulSet' ? { serviceName: 's' } : {}),
  },
})

async function replicas(owner: Awaited<ReturnType<LiveStage['create']>>): Promise<void> {
  for (const name of ['p1', 'p2']) {
    await stage.create(pod(name, { ...hazard, restartPolicy: 'Always' }, { labels, ownerReferences: ownedBy(owner) }))
  }
}

test('reports a Deployment, whose pods a ReplicaSet owns', async () => {
  const deployment = await stage.create(workload('Deployment', 'd'))
  await replicas(await stage.create(workload('ReplicaSet', 'd-6b7f', { ownerReferences: ownedBy(deployment) })))
  expect((await stage.look()).found).toEqual(['POD110 Deployment d'])
})

test.each(['StatefulSet', 'DaemonSet'])('reports a %s instead of its pods', async (kind) => {
  await replicas(await stage.create(workload(kind, 'w')))
  expect((await stage.look()).found).toEqual([`POD110 ${kind} w`])
})

test('reports the pods of a ReplicaSet without an owner', async () => {
  const lone = workload('ReplicaSet', 'lone')
  await stage.create({ ...lone, spec: { ...lone.spec, replicas: 2 } })
  await stage.clock.advance(1_000)
  const { found } = await stage.look()
  expect(found.map((line) => line.replace(/-\w{5}$/, ''))).toEqual(['POD110 Pod lone', 'POD110 Pod lone'])
})

test('reports a CronJob, whose Jobs have its template', async () => {
  const proxy = { name: 'proxy', image: 'envoyproxy/envoy:v1.36' }
  const spec = { containers: [runner, proxy] }
  const fields = { backoffLimit: 3, activeDeadlineSeconds: undefined }
  const { kind: _, apiVersion: __, metadata: ___, ...template } = job('template', spec, fields)
  const cron = { kind: 'CronJob', metadata: { name: 'c' }, spec: { schedule: '0 3 * * *', jobTemplate: template } }
  const owner = await stage.create(cron)
  for (const name of ['c-1', 'c-2']) {
    const made = job(name, spec, fields)
    await stage.create({ ...made, metadata: { name, ownerReferences: ownedBy(owner) } })
  }
  expect(new Set((await stage.look()).found.map((line) => line.replace(/^\S+ /, '')))).toEqual(new Set(['CronJob c']))
})

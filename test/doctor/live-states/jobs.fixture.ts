// Hazards of Jobs, and of pods that live on when their work has ended.
import type { PodStageOptions } from '@dayfly/cluster/pod-stage.fixture'
import { data, docker, foreignNode, job, type LiveStage, pod, runner, sidecar, work } from '../live-stage.fixture.ts'
import { type LiveState, minutes } from './state.fixture.ts'

const graceful = { terminationGracePeriodSeconds: 3600 }
const tracking = 'batch.kubernetes.io/job-tracking'
const quick = { work: { endsAfterMs: 1000 } }

const templates: readonly LiveState[] = [
  {
    code: 'JOB201',
    what: 'a Job has no TTL',
    make: async ({ create }, isSick) => {
      await create(job('j', { containers: [work] }, isSick ? { ttlSecondsAfterFinished: undefined } : {}))
      return 'Job j'
    },
  },
  {
    code: 'JOB202',
    what: 'the TTL of a Job waits for Docker to end',
    along: ['POD101 Job j'],
    make: async ({ create }, isSick) => {
      const spec = isSick ? { containers: [work, docker] } : { initContainers: [sidecar(docker)], containers: [work] }
      await create(job('j', { ...spec, volumes: [data] }))
      return 'Job j'
    },
  },
  {
    code: 'JOB206',
    what: "a runner's Job retries",
    make: async ({ create }, isSick) => {
      await create(job('j', { ...graceful, containers: [runner] }, { backoffLimit: isSick ? 3 : 0 }))
      return 'Job j'
    },
  },
  {
    code: 'JOB207',
    what: 'nothing ends a runner that hangs',
    make: async ({ create }, isSick) => {
      const deadline = isSick ? { activeDeadlineSeconds: undefined } : {}
      await create(job('j', { ...graceful, containers: [runner] }, deadline))
      return 'Job j'
    },
  },
]

const counts: readonly LiveState[] = [
  {
    code: 'JOB209',
    what: 'a script removes the pods of a Job, finalizers first',
    make: async (stage, isSick) => {
      await stage.create(job('j', { containers: [work] }))
      await stage.clock.advance(1 * minutes)
      for (let times = 0; times < 4; times++) {
        const [found] = stage.registry.list('pods')
        if (found && isSick) {
          await stage.patch('Pod', found.metadata.name, { metadata: { finalizers: null } })
          await stage.remove('Pod', found.metadata.name, { gracePeriodSeconds: 0 })
        }
        await stage.clock.advance(1 * minutes)
      }
      return 'Job j'
    },
  },
  {
    code: 'JOB210',
    what: 'the controller of a Job has ended it without counting its pod',
    options: { scripts: quick },
    make: async (stage, isSick) => {
      const { create, remove, clock } = stage
      const owner = await create(job('j', { containers: [work] }, { managedBy: 'example.dev/controller' }))
      const { name, uid } = owner.metadata
      const ownerReferences = [{ apiVersion: 'batch/v1', kind: 'Job', name, uid, controller: true }]
      await create(pod('p', { containers: [work] }, { ownerReferences, finalizers: isSick ? [tracking] : [] }))
      await clock.advance(1 * minutes)
      await endJob(stage, 'j')
      await remove('Pod', 'p')
      await clock.advance(11 * minutes)
      return 'Pod p'
    },
  },
]

/** The phrase of the Job controller itself. */
async function endJob({ patch, clock }: LiveStage, name: string): Promise<void> {
  const at = new Date(clock.now()).toISOString()
  const condition = (type: string) => ({ type, status: 'True', lastProbeTime: at, lastTransitionTime: at })
  await patch('Job', name, { status: { startTime: at } })
  await patch('Job', name, {
    status: { completionTime: at, conditions: [condition('SuccessCriteriaMet'), condition('Complete')] },
  })
}

const refusal = { is: 'refused', reason: 'ErrImagePull', message: 'not found' } as const
const hung = { postStart: { exec: { command: ['wait-for-it'] } } }
const hanging: PodStageOptions = {
  scripts: { work: { exec: ([command]) => (command === 'wait-for-it' ? 'hangs' : { exitCode: 0 }) } },
}

const lives: readonly LiveState[] = [
  {
    code: 'LIV301',
    what: 'the work has ended, Docker runs on',
    along: ['POD101 Pod p'],
    options: { scripts: quick },
    make: async ({ create, clock }, isSick) => {
      const spec = isSick ? { containers: [work, docker] } : { initContainers: [sidecar(docker)], containers: [work] }
      await create(pod('p', { ...spec, volumes: [data] }))
      await clock.advance(5 * minutes)
      return 'Pod p'
    },
  },
  {
    code: 'LIV302',
    what: 'a hook after start hangs, and the kubelet waits for it',
    says: 'the postStart command of work seems to hang',
    options: hanging,
    make: async ({ create, remove, clock }, isSick) => {
      await create(pod('p', { containers: [{ ...work, ...(isSick ? { lifecycle: hung } : {}) }] }))
      await clock.advance(1 * minutes)
      await remove('Pod', 'p')
      await clock.advance(5 * minutes)
      return 'Pod p'
    },
  },
  {
    code: 'LIV302',
    what: 'the node of a deleted pod is not ready',
    says: 'its node n is not ready (Ready is Unknown)',
    make: async ({ create, patch, remove, clock }, isSick) => {
      await create(foreignNode('n', 'v1.36.0'))
      const at = new Date(clock.now()).toISOString()
      const ready = {
        type: 'Ready',
        status: isSick ? 'Unknown' : 'True',
        lastHeartbeatTime: at,
        lastTransitionTime: at,
      }
      await patch('Node', 'n', { status: { conditions: [ready] } })
      await create(pod('p', { nodeName: 'n', containers: [work] }))
      await patch('Pod', 'p', { status: { phase: 'Running' } })
      await remove('Pod', 'p', isSick ? {} : { gracePeriodSeconds: 0 })
      await clock.advance(5 * minutes)
      return 'Pod p'
    },
  },
  {
    code: 'LIV303',
    what: 'the image of a pod is not there',
    says: 'the image of work does not work (ImagePullBackOff)',
    options: { refuseImage: (image) => (image === 'missing:1' ? refusal : undefined) },
    make: async ({ create, clock }, isSick) => {
      await create(pod('p', { containers: [isSick ? { ...work, image: 'missing:1' } : work] }))
      await clock.advance(6 * minutes)
      return 'Pod p'
    },
  },
  {
    code: 'LIV303',
    what: 'a hook after start hangs, and the status stays as it was before',
    says: 'the postStart command of work may hang',
    options: hanging,
    make: async ({ create, clock }, isSick) => {
      await create(pod('p', { containers: [{ ...work, ...(isSick ? { lifecycle: hung } : {}) }] }))
      await clock.advance(6 * minutes)
      return 'Pod p'
    },
  },
  {
    code: 'LIV303',
    what: 'no node has room for a pod',
    says: 'no node fits',
    make: async ({ create, clock }, isSick) => {
      const resources = { requests: { cpu: isSick ? '5000' : '1' } }
      await create(pod('p', { containers: [{ ...work, resources }] }))
      await clock.advance(6 * minutes)
      return 'Pod p'
    },
  },
  {
    code: 'LIV304',
    what: 'seven of ten finished pods are there',
    says: '7 finished pods are still in the cluster, most of them (7) in this namespace. Above 10 the',
    options: { scripts: quick, cluster: { terminatedPodGcThreshold: 10 } },
    make: async ({ create, clock }, isSick) => {
      const command = ['kube-controller-manager', '--terminated-pod-gc-threshold=10']
      const manager = {
        name: 'kube-controller-manager',
        image: 'registry.k8s.io/kube-controller-manager:v1.36.0',
        command,
      }
      await create(pod('kube-controller-manager-n', { containers: [manager] }, { namespace: 'kube-system' }))
      for (let index = 0; index < (isSick ? 7 : 3); index++) await create(pod(`p${index}`, { containers: [work] }))
      await clock.advance(1 * minutes)
      return 'Namespace default'
    },
  },
  {
    code: 'LIV305',
    what: 'a Job was deleted and left its pod behind',
    options: { scripts: quick },
    make: async ({ create, remove, registry, clock }, isSick) => {
      await create(job('j', { containers: [work] }))
      await clock.advance(1 * minutes)
      const [made] = registry.list('pods')
      await remove('Job', 'j', { propagationPolicy: isSick ? 'Orphan' : 'Background' })
      await clock.advance(61 * minutes)
      return `Pod ${made?.metadata.name}`
    },
  },
]

export const jobStates: readonly LiveState[] = [...templates, ...counts, ...lives]

// Hazards of pods and their templates.
import { definitionOf } from '@dayfly/doctor/live/doctor-cluster.fixture'
import { arc, data, docker, foreignNode, pod, runner, sidecar, work } from '../live-stage.fixture.ts'
import { type LiveState, minutes } from './state.fixture.ts'

const graceful = { terminationGracePeriodSeconds: 3600 }
const proxy = { name: 'proxy', image: 'gcr.io/cloud-sql-connectors/cloud-sql-proxy:2.18.0' }
const probe = { exec: { command: ['true'] } }

/** A runner set without a controller. It may contain a pod that an API server would refuse. */
const runnerSet = (initContainer: object) => {
  const spec = { ...graceful, containers: [runner], initContainers: [initContainer] }
  return arc('AutoscalingRunnerSet', { name: 'set' }, { spec: { template: { spec } } })
}

const engines: readonly LiveState[] = [
  {
    code: 'POD101',
    what: 'Docker is an ordinary container of a pod that is to end',
    make: async ({ create }, isSick) => {
      const spec = isSick ? { containers: [work, docker] } : { initContainers: [sidecar(docker)], containers: [work] }
      await create(pod('p', { ...spec, volumes: [data] }))
      return 'Pod p'
    },
  },
  {
    code: 'POD102',
    what: 'a proxy runs indefinitely beside the work',
    make: async ({ create }, isSick) => {
      await create(
        pod('p', isSick ? { containers: [work, proxy] } : { initContainers: [sidecar(proxy)], containers: [work] }),
      )
      return 'Pod p'
    },
  },
  {
    code: 'POD104',
    what: 'Docker is a plain init container',
    make: async ({ create }, isSick) => {
      const engine = isSick ? docker : sidecar(docker)
      await create(pod('p', { initContainers: [engine], containers: [work], volumes: [data] }))
      return 'Pod p'
    },
  },
  {
    code: 'POD114',
    what: "Docker's data is in a volume without a limit",
    make: async ({ create }, isSick) => {
      const volumes = [isSick ? { name: 'data', emptyDir: {} } : data]
      await create(pod('p', { initContainers: [sidecar(docker)], containers: [work], volumes }))
      return 'Pod p'
    },
  },
  {
    code: 'POD120',
    what: "several runners have Docker's data in one claim",
    make: async ({ create }, isSick) => {
      const images = isSick ? { name: 'data', persistentVolumeClaim: { claimName: 'images' } } : data
      const spec = { ...graceful, containers: [runner], initContainers: [sidecar(docker)], volumes: [images] }
      await create(arc('AutoscalingRunnerSet', { name: 'set' }, { spec: { template: { spec } } }))
      return 'AutoscalingRunnerSet set'
    },
  },
  {
    code: 'POD118',
    what: 'a volume is mounted at the path of the socket of Docker',
    make: async ({ create }, isSick) => {
      const path = isSick ? '/var/run/docker.sock' : '/sockets'
      const engine = sidecar({ ...docker, volumeMounts: [...docker.volumeMounts, { name: 'socket', mountPath: path }] })
      const volumes = [data, { name: 'socket', emptyDir: {} }]
      await create(pod('p', { initContainers: [engine], containers: [work], volumes }))
      return 'Pod p'
    },
  },
  {
    code: 'POD115',
    what: "dockerd's pid file is in a volume",
    make: async ({ create }, isSick) => {
      const mounts = [...docker.volumeMounts, { name: 'run', mountPath: isSick ? '/var/run' : '/sockets' }]
      const engine = sidecar({ ...docker, command: ['dockerd'], volumeMounts: mounts })
      const volumes = [data, { name: 'run', emptyDir: {} }]
      await create(pod('p', { initContainers: [engine], containers: [work], volumes }))
      return 'Pod p'
    },
  },
]

const versions: readonly LiveState[] = [
  {
    code: 'POD103',
    what: 'a runner set asks for init containers that Kubernetes 1.33 refuses',
    options: { cluster: { profile: '1.33' } },
    make: async ({ create }, isSick) => {
      await create(
        runnerSet({ name: 'prepare', image: 'busybox:1', ...(isSick ? { restartPolicy: 'OnFailure' } : {}) }),
      )
      return 'AutoscalingRunnerSet set'
    },
  },
  {
    code: 'POD105',
    what: 'a pod with a sidecar is on a node of 1.28',
    says: 'The kubelet of its node old is v1.28.15',
    make: async ({ create }, isSick) => {
      await create(foreignNode('old', 'v1.28.15'))
      await create(foreignNode('new', 'v1.36.1'))
      const on = (name: string, nodeName: string) =>
        create(pod(name, { nodeName, initContainers: [sidecar(proxy)], containers: [work] }))
      await on('p', isSick ? 'old' : 'new')
      await on('other', 'new')
      return 'Pod p'
    },
  },
  {
    code: 'POD106',
    what: 'a webhook took restartPolicy away',
    says: 'These webhooks change pods and may have older API types: injector',
    make: async ({ create }, isSick) => {
      const rules = [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] }]
      const clientConfig = { service: { name: 'injector', namespace: 'default' } }
      const hook = { name: 'a.b.c', rules, clientConfig, sideEffects: 'None', admissionReviewVersions: ['v1'] }
      await create({ kind: 'MutatingWebhookConfiguration', metadata: { name: 'injector' }, webhooks: [hook] })
      const spec = { ...graceful, initContainers: [sidecar(proxy)], containers: [runner] }
      const owner = await create(arc('EphemeralRunner', { name: 'r' }, { spec: { spec } }))
      const { name, uid } = owner.metadata
      const ownerReferences = [{ apiVersion: owner.apiVersion, kind: owner.kind, name, uid, controller: true }]
      await create(pod('r', isSick ? { ...spec, initContainers: [proxy] } : spec, { ownerReferences }))
      return 'Pod r'
    },
  },
  {
    code: 'POD107',
    what: 'a runner set has a probe on a plain init container',
    make: async ({ create }, isSick) => {
      const container = { name: 'prepare', image: 'busybox:1', startupProbe: probe }
      await create(runnerSet(isSick ? container : sidecar(container)))
      return 'AutoscalingRunnerSet set'
    },
  },
  {
    code: 'POD109',
    what: 'a kubelet of 1.35 forgot a container that crashed',
    make: async ({ create, patch, clock }, isSick) => {
      await create(foreignNode('n', isSick ? 'v1.35.0' : 'v1.34.2'))
      const initContainers = [sidecar({ ...proxy, startupProbe: probe })]
      await create(pod('p', { nodeName: 'n', restartPolicy: 'Always', initContainers, containers: [work] }))
      const status = (name: string, state: object) => ({
        name,
        image: 'x',
        imageID: '',
        ready: false,
        restartCount: 0,
        state,
      })
      const at = new Date(clock.now()).toISOString()
      const running = status('proxy', { running: { startedAt: at } })
      const ended = status('work', { terminated: { exitCode: 1, startedAt: at, finishedAt: at } })
      await patch('Pod', 'p', {
        status: { phase: 'Running', initContainerStatuses: [running], containerStatuses: [ended] },
      })
      await clock.advance(11 * minutes)
      return 'Pod p'
    },
  },
]

const lives: readonly LiveState[] = [
  {
    code: 'POD110',
    what: 'a command after start runs in a shared PID namespace',
    make: async ({ create }, isSick) => {
      const lifecycle = { postStart: { exec: { command: ['sh', '-c', 'wait-for-it'] } } }
      await create(pod('p', { shareProcessNamespace: isSick, containers: [{ ...work, lifecycle }] }))
      return 'Pod p'
    },
  },
  {
    code: 'POD112',
    what: 'a runner drains in a preStop hook, with the default grace period of 30 s',
    make: async ({ create }, isSick) => {
      const lifecycle = { preStop: { exec: { command: ['sh', '-c', 'while pgrep Runner.Worker; do sleep 1; done'] } } }
      await create(pod('p', { ...(isSick ? {} : graceful), containers: [{ ...runner, lifecycle }] }))
      return 'Pod p'
    },
  },
  {
    code: 'POD116',
    what: 'Karpenter may take the node of a runner',
    make: async ({ create }, isSick) => {
      const definition = definitionOf('NodePool', 'nodepools.karpenter.sh')
      await create({ ...definition, spec: { ...definition.spec, scope: 'Cluster' } })
      await create({ apiVersion: 'karpenter.sh/v1alpha1', kind: 'NodePool', metadata: { name: 'default' } })
      const annotations = isSick ? {} : { 'karpenter.sh/do-not-disrupt': 'true' }
      await create(pod('p', { ...graceful, containers: [runner] }, { annotations }))
      return 'Pod p'
    },
  },
  {
    code: 'POD117',
    what: "a budget selects ARC's runners",
    make: async ({ create }, isSick) => {
      const matchLabels = isSick ? { 'actions.github.com/scale-set-name': 'set' } : { app: 'web' }
      await create({
        kind: 'PodDisruptionBudget',
        metadata: { name: 'b' },
        spec: { maxUnavailable: 0, selector: { matchLabels } },
      })
      return 'PodDisruptionBudget b'
    },
  },
]

export const podStates: readonly LiveState[] = [...engines, ...versions, ...lives]

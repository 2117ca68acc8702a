// Creates realistic runner pods of about 12 KB of JSON: two containers and a sidecar, probes, volumes and managed fields.

/** Returns the JSON of pod number `index`. The pods differ in their names, ids, versions and times. */
export function podText(index: number, resourceVersion: number, phase: 'Pending' | 'Running'): string {
  const minutes = String(Math.floor(resourceVersion / 60) % 60).padStart(2, '0')
  const seconds = String(resourceVersion % 60).padStart(2, '0')
  return template
    .replaceAll('@INDEX@', String(index).padStart(5, '0'))
    .replaceAll('@VERSION@', String(resourceVersion))
    .replaceAll('@PHASE@', phase)
    .replaceAll('@CLOCK@', `${minutes}:${seconds}`)
}

export function podName(index: number): string {
  return `linux-7f3a-${String(index).padStart(5, '0')}`
}

const env = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    name: `RUNNER_SETTING_${index}`,
    value: `value-${index}-of-an-ordinary-length-for-a-setting`,
  }))

const condition = (type: string) => ({
  type,
  observedGeneration: 1,
  status: 'True',
  lastProbeTime: null,
  lastTransitionTime: '2026-11-21T08:00:07Z',
})

const containerStatus = (name: string) => ({
  name,
  state: { running: { startedAt: '2026-11-21T08:00:05Z' } },
  lastState: {},
  ready: true,
  restartCount: 0,
  image: 'ghcr.io/actions/actions-runner:2.330.0',
  imageID: 'ghcr.io/actions/actions-runner@sha256:7dbd9ae0b2b5d1c7d2a51b8a8e1f0b6f6a4a7c2c2f5a3c5e8d4f1a2b3c4d5e6f',
  containerID: 'containerd://1f9c7be0a4d24f8c9c6a5e4d3b2a190807f6e5d4c3b2a1908f7e6d5c4b3a2918-@INDEX@',
  started: true,
  allocatedResources: { cpu: '2', memory: '4Gi' },
  resources: { limits: { cpu: '4', memory: '8Gi' }, requests: { cpu: '2', memory: '4Gi' } },
  volumeMounts: [{ name: 'work', mountPath: '/home/runner/_work' }],
})

const container = (name: string) => ({
  name,
  image: 'ghcr.io/actions/actions-runner:2.330.0',
  command: ['/bin/sh', '-c', 'exec /home/runner/run.sh --jitconfig "$(cat /run/dayfly/credential)"'],
  env: env(14),
  resources: { limits: { cpu: '4', memory: '8Gi' }, requests: { cpu: '2', memory: '4Gi' } },
  volumeMounts: ['work', 'credential', 'docker', 'temporary'].map((volume) => ({
    name: volume,
    mountPath: `/mnt/${volume}`,
    readOnly: volume === 'credential',
  })),
  startupProbe: { exec: { command: ['docker', 'info'] }, periodSeconds: 1, failureThreshold: 60, timeoutSeconds: 5 },
  terminationMessagePath: '/dev/termination-log',
  terminationMessagePolicy: 'File',
  imagePullPolicy: 'IfNotPresent',
  securityContext: { allowPrivilegeEscalation: false, runAsUser: 1001, capabilities: { drop: ['ALL'] } },
})

const managedContainer = (name: string) => ({
  [`k:{"name":"${name}"}`]: Object.fromEntries(
    ['.', 'f:command', 'f:env', 'f:image', 'f:imagePullPolicy', 'f:name', 'f:resources', 'f:startupProbe'].map(
      (key) => [key, { '.': {}, 'f:limits': { '.': {}, 'f:cpu': {}, 'f:memory': {} }, 'f:timeoutSeconds': {} }],
    ),
  ),
})

const template = JSON.stringify({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: 'linux-7f3a-@INDEX@',
    namespace: 'ci',
    uid: '3b1f7c52-6d0e-4c7e-9a55-0000000@INDEX@',
    resourceVersion: '@VERSION@',
    generation: 1,
    creationTimestamp: '2026-11-21T08:00:00Z',
    labels: { 'dayfly.dev/set': 'linux', 'dayfly.dev/runner': 'linux-7f3a-@INDEX@', 'app.kubernetes.io/part-of': 'ci' },
    annotations: { 'dayfly.dev/template-hash': '9f86d081884c7d65', 'dayfly.dev/registration': '@INDEX@' },
    ownerReferences: [
      {
        apiVersion: 'dayfly.dev/v1alpha1',
        kind: 'RunnerSet',
        name: 'linux',
        uid: 'f0e1d2c3-b4a5-4697-8877-66554433221a',
        controller: true,
        blockOwnerDeletion: false,
      },
    ],
    managedFields: [
      {
        manager: 'dayfly',
        operation: 'Update',
        apiVersion: 'v1',
        time: '2026-11-21T08:@CLOCK@Z',
        fieldsType: 'FieldsV1',
        fieldsV1: {
          'f:metadata': { 'f:labels': { '.': {}, 'f:dayfly.dev/set': {} }, 'f:ownerReferences': { '.': {} } },
          'f:spec': {
            'f:containers': { ...managedContainer('runner'), ...managedContainer('helper') },
            'f:initContainers': managedContainer('docker'),
          },
        },
      },
    ],
  },
  spec: {
    volumes: [
      { name: 'work', emptyDir: { sizeLimit: '20Gi' } },
      { name: 'docker', emptyDir: { sizeLimit: '40Gi' } },
      { name: 'temporary', emptyDir: {} },
      { name: 'credential', secret: { secretName: 'linux-7f3a-@INDEX@', defaultMode: 256 } },
    ],
    initContainers: [{ ...container('docker'), restartPolicy: 'Always' }],
    containers: [container('runner'), container('helper')],
    restartPolicy: 'Never',
    terminationGracePeriodSeconds: 60,
    dnsPolicy: 'ClusterFirst',
    serviceAccountName: 'default',
    automountServiceAccountToken: false,
    nodeName: 'node-12.europe-west1.internal',
    schedulerName: 'default-scheduler',
    tolerations: ['not-ready', 'unreachable'].map((key) => ({
      key: `node.kubernetes.io/${key}`,
      operator: 'Exists',
      effect: 'NoExecute',
      tolerationSeconds: 300,
    })),
    priority: 0,
    enableServiceLinks: true,
    preemptionPolicy: 'PreemptLowerPriority',
  },
  status: {
    phase: '@PHASE@',
    observedGeneration: 1,
    conditions: ['PodReadyToStartContainers', 'Initialized', 'Ready', 'ContainersReady', 'PodScheduled'].map(condition),
    hostIP: '10.132.0.12',
    hostIPs: [{ ip: '10.132.0.12' }],
    podIP: '10.4.17.200',
    podIPs: [{ ip: '10.4.17.200' }],
    startTime: '2026-11-21T08:00:01Z',
    initContainerStatuses: [containerStatus('docker')],
    containerStatuses: [containerStatus('runner'), containerStatus('helper')],
    qosClass: 'Burstable',
  },
})

// The table of failures: one row for each reason. Its columns drive the core, and failure.ts looks them up.
import type { Deadline, FailureInfo, Retry } from './failure-info.ts'

const second = 1_000
const minute = 60 * second

const never: Retry = { is: 'never' }
/** A failed start: the next one may work. */
const soon: Retry = { is: 'backoff', baseMs: 2 * second, capMs: 5 * minute }
/** The cause passes by itself, or by an operator's work outside the set. */
const steady: Retry = { is: 'every', everyMs: 30 * second }

const atOnce: Deadline = { from: 'cause', ms: 0 }
const ofStart: Deadline = { from: 'progress', ms: 2 * minute }

export const failures = {
  'template-invalid': {
    class: 'template',
    sentence: 'The API server refuses the pod template.',
    next: 'Correct the field named in the message. Dayfly checks the template again when the set changes, and every five minutes.',
    retry: never,
  },
  'template-changed': {
    class: 'template',
    sentence: 'The API server stored a pod that differs from the template.',
    next: 'Find the webhook or the old API server that drops or changes the field named in the message.',
    retry: never,
  },
  'template-hangs': {
    class: 'template',
    sentence: 'A pod of this template would never start or never end.',
    next: 'Change the field named in the message.',
    retry: never,
  },
  'admission-denied': {
    class: 'template',
    sentence: 'An admission rule of the cluster forbids the pod.',
    next: 'Satisfy the rule named in the message, or exempt the namespace from it.',
    retry: steady,
  },
  'rights-missing': {
    class: 'template',
    sentence: 'The controller has no right to create the objects of a runner.',
    next: 'Bind the Role of the chart to the account of the controller in the namespace of the set.',
    retry: steady,
  },
  'quota-exceeded': {
    class: 'template',
    sentence: 'The resource quota of the namespace is used up.',
    next: 'Raise the quota, lower max of the set, or wait until other pods end.',
    retry: steady,
  },
  unschedulable: {
    class: 'start',
    sentence: 'No node can take the pod.',
    next: 'Compare requests, node selectors and taints with the nodes, or wait for the cluster autoscaler.',
    retry: soon,
    deadline: { from: 'cause', ms: 5 * minute },
    eventReasons: ['FailedScheduling'],
  },
  'image-missing': {
    class: 'start',
    sentence: 'The node does not have the image and cannot pull it.',
    next: 'Check the name, tag, registry, pull secret and pull policy of the image named in the message.',
    retry: soon,
    deadline: { from: 'cause', ms: 30 * second },
    containerReasons: [
      'ErrImagePull',
      'ImagePullBackOff',
      'ErrImageNeverPull',
      'ImageInspectError',
      'RegistryUnavailable',
    ],
  },
  'image-invalid': {
    class: 'start',
    sentence: 'The image name is not valid.',
    next: 'Correct the image reference.',
    retry: never,
    deadline: atOnce,
    containerReasons: ['InvalidImageName'],
  },
  'config-missing': {
    class: 'start',
    sentence: 'A ConfigMap, Secret or key that the container needs is missing.',
    next: 'Create the object named in the message.',
    retry: soon,
    deadline: { from: 'cause', ms: 5 * second },
    containerReasons: ['CreateContainerConfigError'],
  },
  'volume-failed': {
    class: 'start',
    sentence: 'A volume cannot be attached or mounted.',
    next: 'Check the volume named in the message and what it refers to.',
    retry: soon,
    deadline: ofStart,
    eventReasons: ['FailedMount', 'FailedAttachVolume', 'FailedMapVolume'],
  },
  'sandbox-failed': {
    class: 'start',
    sentence: 'The node cannot create the pod sandbox.',
    next: 'Check the network plug-in and the runtime of the node named in the message.',
    retry: soon,
    deadline: ofStart,
    eventReasons: ['FailedCreatePodSandBox', 'NetworkNotReady', 'SandboxChanged'],
  },
  'init-failed': {
    class: 'start',
    sentence: 'An init container ended with an error.',
    next: 'Read the log of the init container named in the message.',
    retry: soon,
    deadline: atOnce,
  },
  'init-hangs': {
    class: 'start',
    sentence: 'An init container does not end.',
    next: 'Give a daemon restartPolicy Always (a native sidecar), or make the container end.',
    retry: soon,
    deadline: ofStart,
  },
  'sidecar-not-ready': {
    class: 'start',
    sentence: 'The startup probe of a sidecar does not succeed.',
    next: 'Read the log of the sidecar named in the message and check its probe.',
    retry: soon,
    deadline: ofStart,
  },
  'hook-failed': {
    class: 'start',
    sentence: 'A postStart hook failed.',
    next: 'Correct the hook, or do its work in the container itself.',
    retry: soon,
    deadline: ofStart,
    eventReasons: ['FailedPostStartHook'],
  },
  'hook-hangs': {
    class: 'start',
    sentence: 'A postStart hook does not return; the pod can neither start nor stop.',
    next: 'End the hook process on the node; then remove the hook or bound it in time.',
    retry: soon,
    deadline: ofStart,
  },
  'command-missing': {
    class: 'start',
    sentence: 'The command of the container cannot be started.',
    next: 'Check the path of the command in the image.',
    retry: soon,
    deadline: atOnce,
    containerReasons: ['CreateContainerError', 'RunContainerError', 'StartError', 'ContainerCannotRun'],
  },
  'start-unexplained': {
    class: 'start',
    sentence: 'The runner does not start, and the cluster reports no cause.',
    next: 'Read the events of the pod and the log of the kubelet on its node.',
    retry: soon,
    deadline: { from: 'progress', ms: 10 * minute },
  },
  'api-unavailable': {
    class: 'start',
    sentence: 'The API server did not create an object of the runner.',
    next: 'Check the API server with the message. Dayfly tries again by itself.',
    retry: soon,
  },
  'never-online': {
    class: 'start',
    sentence: 'The runner started but never came online at the forge.',
    next: 'Read the log of the runner. Check its proxy, DNS and certificates.',
    retry: soon,
  },
  'out-of-memory': {
    class: 'run',
    sentence: 'The runner exceeded its memory limit and was killed.',
    next: 'Raise the memory limit of the container runner, or make the job smaller.',
    retry: soon,
    endReasons: ['OOMKilled'],
  },
  evicted: {
    class: 'run',
    sentence: 'The node evicted the pod.',
    next: 'Check the pressure on the node, and the requests of the pod.',
    retry: soon,
    endReasons: ['Evicted'],
  },
  preempted: {
    class: 'run',
    sentence: 'A pod of higher priority preempted the runner.',
    next: 'Give the set a priority class, or add nodes.',
    retry: soon,
    endReasons: ['Preempting', 'Preempted'],
  },
  'node-lost': {
    class: 'run',
    sentence: 'The node of the runner is gone or does not respond.',
    next: 'Check the node. If it never comes back, delete its Node object, and Kubernetes removes the pod. Then re-run the job.',
    retry: soon,
    deadline: { from: 'cause', ms: 2 * minute },
    eventReasons: ['NodeNotReady'],
    endReasons: ['NodeLost'],
  },
  'pod-vanished': {
    class: 'run',
    sentence: 'Another client deleted the pod before the runner ended.',
    next: 'Find the client that deletes runner pods (audit log), then re-run the job.',
    retry: soon,
  },
  'life-exceeded': {
    class: 'run',
    sentence: 'The runner lived longer than the set allows.',
    next: 'Raise lifeMax of the set, or give the job a shorter timeout.',
    retry: soon,
  },
  'runner-failed': {
    class: 'run',
    sentence: 'The runner ended without a job, or with an error of its own.',
    next: 'Read the log of the runner.',
    retry: soon,
  },
  'runner-outdated': {
    class: 'run',
    sentence: 'The forge refuses the version of the runner.',
    next: 'Update the image of the runner.',
    retry: soon,
  },
  'termination-stuck': {
    class: 'end',
    sentence: 'The pod does not end.',
    next: 'Run `dayfly doctor --live` to find the cause.',
    retry: steady,
  },
  'finalizer-left': {
    class: 'end',
    sentence: 'A finalizer keeps a pod whose containers have ended.',
    next: 'Find the controller that owns the finalizer named in the message. Remove the finalizer only if that controller is removed permanently.',
    retry: steady,
  },
  'kill-failed': {
    class: 'end',
    sentence: 'The kubelet cannot stop a container of the pod.',
    next: 'Check the container runtime on the node named in the message, and restart the kubelet if it hangs.',
    retry: steady,
  },
  'deregistration-refused': {
    class: 'end',
    sentence: 'The forge does not remove the registration.',
    next: 'Wait: a forge may report a dead runner as busy for 15 minutes.',
    retry: steady,
  },
  'forge-unreachable': {
    class: 'forge',
    sentence: 'The forge does not respond.',
    next: 'Check the network, the proxy and the status page of the forge. Running jobs continue.',
    retry: soon,
  },
  'forge-unauthorized': {
    class: 'forge',
    sentence: 'The forge refuses the credential.',
    next: 'Check the credential in the Secret, its scopes, and its access to the URL of the set.',
    retry: soon,
  },
  'forge-misconfigured': {
    class: 'forge',
    sentence: 'The forge settings of the set cannot work.',
    next: 'Correct the setting named in the message.',
    retry: soon,
  },
  'forge-settings-differ': {
    class: 'forge',
    sentence: 'The record of the set at the forge differs from the RunnerSet.',
    next: 'Change the setting named in the message at the forge or in the set.',
    retry: soon,
  },
  'forge-limited': {
    class: 'forge',
    sentence: 'The forge limits our requests.',
    next: 'Wait: Dayfly continues when the limit allows.',
    retry: soon,
  },
  'session-taken': {
    class: 'forge',
    sentence: 'Another listener holds the message session of the scale set.',
    next: 'Stop the other listener, or rename this set. An abandoned session ends by itself.',
    retry: soon,
  },
  'scale-set-missing': {
    class: 'forge',
    sentence: 'The forge has lost the scale set.',
    next: 'Wait: Dayfly creates the scale set again.',
    retry: soon,
  },
  'registration-collides': {
    class: 'forge',
    sentence: 'Another owner uses the name of the scale set.',
    next: 'Choose another name, or delete the scale set at the forge if it is yours.',
    retry: soon,
  },
} as const satisfies Record<string, FailureInfo>

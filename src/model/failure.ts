// The closed list of reasons for which a runner, a set or a forge can fail (design chapter 2, promise 3).

/** Where in a life a failure belongs. */
export type FailureClass = 'template' | 'start' | 'run' | 'end' | 'forge'

/** When to try again by ourselves: `never` until the operator changes something, `backoff` by growing waits, `state` while the cause may pass by itself. */
export type Retry = 'never' | 'backoff' | 'state'

type FailureInfo = {
  readonly class: FailureClass
  /** One sentence: what happened. */
  readonly sentence: string
  /** What the operator can do next. */
  readonly next: string
  readonly retry: Retry
}

const failures = {
  'template-invalid': {
    class: 'template',
    sentence: 'The API server refuses the pod template.',
    next: 'Correct the field named in the message; the set is checked again as soon as it changes.',
    retry: 'never',
  },
  'template-changed': {
    class: 'template',
    sentence: 'What the API server stored differs from the template that was sent.',
    next: 'Find the webhook or the old API server that drops the field named in the message.',
    retry: 'never',
  },
  'template-hangs': {
    class: 'template',
    sentence: 'A pod of this template would never start or never end.',
    next: 'Change the field named in the message as it says.',
    retry: 'never',
  },
  'admission-denied': {
    class: 'template',
    sentence: 'An admission rule of the cluster forbids the pod.',
    next: 'Satisfy the rule named in the message, or exempt the namespace from it.',
    retry: 'backoff',
  },
  'quota-exceeded': {
    class: 'template',
    sentence: 'The resource quota of the namespace is used up.',
    next: 'Raise the quota or lower the maximum of the set; waiting may be enough.',
    retry: 'state',
  },
  unschedulable: {
    class: 'start',
    sentence: 'No node can take the pod.',
    next: 'Compare requests, node selectors and taints with the nodes, or wait for the cluster autoscaler.',
    retry: 'state',
  },
  'image-missing': {
    class: 'start',
    sentence: 'The image cannot be pulled.',
    next: 'Check name, tag, registry and pull secret of the image named in the message.',
    retry: 'backoff',
  },
  'image-invalid': {
    class: 'start',
    sentence: 'The image name is not valid, or the image may never be pulled and is not on the node.',
    next: 'Correct the image reference or its pull policy.',
    retry: 'never',
  },
  'config-missing': {
    class: 'start',
    sentence: 'A ConfigMap, Secret or key that the container needs is missing.',
    next: 'Create the object named in the message.',
    retry: 'backoff',
  },
  'volume-failed': {
    class: 'start',
    sentence: 'A volume cannot be attached or mounted.',
    next: 'Check the volume named in the message and what it refers to.',
    retry: 'backoff',
  },
  'sandbox-failed': {
    class: 'start',
    sentence: 'The node cannot create the pod sandbox.',
    next: 'Check the network plug-in and the runtime of the node named in the message.',
    retry: 'backoff',
  },
  'init-failed': {
    class: 'start',
    sentence: 'An init container ended with an error.',
    next: 'Read the log of the init container named in the message.',
    retry: 'backoff',
  },
  'init-hangs': {
    class: 'start',
    sentence: 'An init container runs without an end.',
    next: 'Give a daemon restartPolicy Always (a native sidecar), or make the container end.',
    retry: 'never',
  },
  'sidecar-not-ready': {
    class: 'start',
    sentence: 'The startup probe of a sidecar does not succeed.',
    next: 'Read the log of the sidecar named in the message and check its probe.',
    retry: 'backoff',
  },
  'hook-failed': {
    class: 'start',
    sentence: 'A postStart hook failed.',
    next: 'Correct the hook, or do its work in the container itself.',
    retry: 'backoff',
  },
  'hook-hangs': {
    class: 'start',
    sentence: 'A postStart hook does not return; the pod can neither start nor stop.',
    next: 'End the hook process on the node; then remove the hook or bound it in time.',
    retry: 'never',
  },
  'command-missing': {
    class: 'start',
    sentence: 'The command of the container cannot be started.',
    next: 'Check the path of the command in the image.',
    retry: 'never',
  },
  'never-online': {
    class: 'start',
    sentence: 'The runner started but never came online at the forge.',
    next: 'Read the log of the runner; check its way to the forge (proxy, DNS, certificates).',
    retry: 'backoff',
  },
  'out-of-memory': {
    class: 'run',
    sentence: 'The runner was killed for want of memory.',
    next: 'Raise the memory limit of the container runner, or make the job smaller.',
    retry: 'backoff',
  },
  evicted: {
    class: 'run',
    sentence: 'The node evicted the pod.',
    next: 'Check the pressure on the node, and the requests of the pod.',
    retry: 'backoff',
  },
  preempted: {
    class: 'run',
    sentence: 'A pod of higher priority took the place.',
    next: 'Give the set a priority class, or more room.',
    retry: 'backoff',
  },
  'node-lost': {
    class: 'run',
    sentence: 'The node of the runner is gone.',
    next: 'Re-run the job; check the node.',
    retry: 'backoff',
  },
  'pod-vanished': {
    class: 'run',
    sentence: 'The pod was deleted by somebody else before the runner ended.',
    next: 'Find who deletes the pods of runners (audit log), and re-run the job.',
    retry: 'backoff',
  },
  'life-exceeded': {
    class: 'run',
    sentence: 'The runner lived longer than the set allows.',
    next: 'Raise the maximum life of the set, or give the job a shorter time-out.',
    retry: 'backoff',
  },
  'runner-failed': {
    class: 'run',
    sentence: 'The runner ended without having run a job, or with an error of its own.',
    next: 'Read the log of the runner.',
    retry: 'backoff',
  },
  'runner-outdated': {
    class: 'run',
    sentence: 'The forge refuses the version of the runner.',
    next: 'Update the image of the runner.',
    retry: 'never',
  },
  'termination-stuck': {
    class: 'end',
    sentence: 'The pod does not end.',
    next: 'Find the cause with `dayfly doctor --live`.',
    retry: 'state',
  },
  'deregistration-refused': {
    class: 'end',
    sentence: 'The forge does not remove the registration.',
    next: 'Wait: a forge may say busy for 15 minutes after a runner that died.',
    retry: 'state',
  },
  'forge-unreachable': {
    class: 'forge',
    sentence: 'The forge does not answer.',
    next: 'Check network, proxy and the status page of the forge; runners that live go on.',
    retry: 'backoff',
  },
  'forge-unauthorized': {
    class: 'forge',
    sentence: 'The forge refuses the credential.',
    next: 'Check the credential in the Secret, its scopes, and that it reaches the URL of the set.',
    retry: 'backoff',
  },
  'forge-misconfigured': {
    class: 'forge',
    sentence: 'The forge part of the set cannot work as it is written.',
    next: 'Correct what the message names; the set is tried again as soon as it changes.',
    retry: 'backoff',
  },
  'forge-settings-differ': {
    class: 'forge',
    sentence: 'The record of the set at the forge differs from the set.',
    next: 'Change what the message names at the forge, or in the set.',
    retry: 'state',
  },
  'forge-limited': {
    class: 'forge',
    sentence: 'The forge limits our requests.',
    next: 'Nothing: it goes on by itself when the limit allows.',
    retry: 'state',
  },
  'session-taken': {
    class: 'forge',
    sentence: 'Another listener holds the message session of the scale set.',
    next: 'Stop the other listener, or give this set another name; an abandoned session ends by itself.',
    retry: 'backoff',
  },
  'scale-set-missing': {
    class: 'forge',
    sentence: 'The forge has lost the scale set.',
    next: 'Nothing: it is created again.',
    retry: 'backoff',
  },
  'registration-collides': {
    class: 'forge',
    sentence: 'The name of the scale set belongs to somebody else.',
    next: 'Choose another name, or delete the scale set at the forge if it is yours.',
    retry: 'never',
  },
} as const satisfies Record<string, FailureInfo>

export type FailureReason = keyof typeof failures

export function failureInfo(reason: FailureReason): FailureInfo {
  return failures[reason]
}

/** One failure as it is shown: the reason, and what was seen of it, for example a container's name and the API server's message. */
export type Failure = { readonly reason: FailureReason; readonly message: string }

// The life of one pod, as data. The same lives are played on a real node and on the embedded cluster.

/** What a client does during the life. */
export type Step = {
  /** The line of the pod, as `stateLine` describes it, that lets the step begin. */
  readonly when: RegExp
  readonly waitMs?: number
  readonly do: { readonly delete: { readonly gracePeriodSeconds?: number } } | { readonly gate: string } | 'evict'
}

export type Life = {
  /** Unique: also the name of the pod. */
  readonly name: string
  readonly spec: object
  /** Another pod that runs before this life begins, with the life's name as its label `beside`. */
  readonly neighbour?: object
  /** The last step deletes the pod. */
  readonly steps: readonly Step[]
}

/** The image with a shell and its commands. */
export const image = 'localhost/busybox:1'

const atEnd: Step = { when: /^(Succeeded|Failed)/, do: { delete: {} } }

/** A pod that is never restarted. It is deleted when it has ended, unless other steps are given. */
export function life(name: string, spec: object, steps: readonly Step[] = [atEnd]): Life {
  // The node of the recording has no DNS for its cluster, and warns about each pod that asks for it.
  const place = { dnsPolicy: 'Default', automountServiceAccountToken: false }
  const usual = { restartPolicy: 'Never', terminationGracePeriodSeconds: 2, ...place }
  return { name, spec: { ...usual, ...spec }, steps }
}

/** A container that runs a shell script. The shell is the first process and handles no signal. */
export function shell(name: string, script: string, more: object = {}): object {
  return { name, image, command: ['/bin/sh', '-c', script], ...more }
}

export function remove(when: RegExp, waitMs = 0, gracePeriodSeconds?: number): Step {
  return { when, waitMs, do: { delete: gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds } } }
}

/** Ends at once on SIGTERM, as a program that handles signals does. */
export const obedient = 'trap "exit 0" TERM; while :; do sleep 0.1; done'
export const forever = 'while :; do sleep 1; done'
export const runsFor = (seconds: number, exitCode = 0) => `sleep ${seconds}; exit ${exitCode}`

// The states of a pod's containers, each in one word with its detail.
import type { Instant } from '@dayfly/kit/clock'
import type { ContainerStatus, PodObject } from '../observe/pod-object.ts'

export type ContainerView = {
  readonly name: string
  readonly kind: 'init' | 'sidecar' | 'container'
  readonly state: 'not created' | 'waiting' | 'running' | 'ended' | 'unknown'
  readonly since: Instant | undefined
  readonly detail: string
}

/** Returns every container of the pod, in the order in which they start. */
export function containersOf({ spec, status }: PodObject): readonly ContainerView[] {
  const inits = (spec?.initContainers ?? []).map(({ name, restartPolicy }) =>
    viewContainer(name, restartPolicy === 'Always' ? 'sidecar' : 'init', status?.initContainerStatuses),
  )
  return [
    ...inits,
    ...(spec?.containers ?? []).map(({ name }) => viewContainer(name, 'container', status?.containerStatuses)),
  ]
}

function viewContainer(
  name: string,
  kind: ContainerView['kind'],
  statuses: readonly ContainerStatus[] | undefined,
): ContainerView {
  const status = statuses?.find((one) => one.name === name)
  const base = { name, kind }
  const { waiting, running, terminated } = status?.state ?? {}
  if (!status) return { ...base, state: 'not created', since: undefined, detail: '' }
  if (terminated) {
    const { exitCode, reason = '', message = '' } = terminated
    const detail = [`exit code ${exitCode}`, reason, message].filter(Boolean).join(', ')
    return { ...base, state: 'ended', since: instant(terminated.finishedAt), detail }
  }
  if (running) {
    const probing = status.started === false ? 'its startup probe has not succeeded' : ''
    return { ...base, state: 'running', since: instant(running.startedAt), detail: probing }
  }
  if (waiting) {
    const detail = [waiting.reason, waiting.message].filter(Boolean).join(': ')
    return { ...base, state: 'waiting', since: undefined, detail }
  }
  return { ...base, state: 'unknown', since: undefined, detail: '' }
}

function instant(text: string | undefined): Instant | undefined {
  const at = Date.parse(text ?? '')
  return Number.isNaN(at) ? undefined : at
}

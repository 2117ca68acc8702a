// Starts commands of clients in the containers on this node.
import { type CommandEnd, sessionOf } from '@dayfly/kit/command-session'
import type { NodeApi } from '../api/node.ts'
import type { NodeSource } from './node-logs.ts'
import { idOf } from './record.ts'

/**
 * If the container does not run, the session ends with the message that a client gets from Kubernetes.
 * Source: https://github.com/kubernetes/kubernetes/blob/release-1.34/pkg/kubelet/kubelet_pods.go (GetExec)
 */
export function nodeExec({ runtime, find }: NodeSource): NodeApi['exec'] {
  return ({ namespace, pod, container }, order, until) => {
    const worker = find(namespace, pod)
    const record = worker?.records.find(({ spec }) => spec.name === container)
    const session = worker && record && runtime.session(idOf(worker.pod, record), order, until)
    if (session) return { ...session, ended: session.ended.then(explained) }
    return sessionOf({ is: 'failed', message: `unable to upgrade connection: container not found ("${container}")` })
  }
}

/** Adds the words of the container runtime's streaming server, which are part of what a client sees. */
function explained(end: CommandEnd): CommandEnd {
  if (end.is === 'exited') return end
  return { ...end, message: `Internal error occurred: error executing command in container: ${end.message}` }
}

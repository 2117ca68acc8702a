// What this kubelet cannot do is refused by name, so that nothing is left out silently.
import { Lacking } from './lookup.ts'
import type { Action, Container } from './pod.ts'

/** Throws `Lacking` for a probe or a hook that needs more than running a command. */
export function requireSupported({ startupProbe, livenessProbe, readinessProbe, lifecycle }: Container): void {
  const parts: Readonly<Record<string, Action | undefined>> = {
    startupProbe,
    livenessProbe,
    readinessProbe,
    'lifecycle.postStart': lifecycle?.postStart,
    'lifecycle.preStop': lifecycle?.preStop,
  }
  for (const [part, action] of Object.entries(parts)) {
    for (const kind of ['httpGet', 'tcpSocket', 'grpc'] as const) {
      if (action?.[kind]) throw new Lacking(`${part}.${kind} is not supported by the embedded cluster: use exec`)
    }
  }
}

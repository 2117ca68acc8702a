// What this kubelet cannot do is refused by name, so that nothing is left out silently.
import { Lacking } from './lookup.ts'
import type { Action, Container } from './pod.ts'

/** Throws `Lacking` for a probe that is none of exec, httpGet, tcpSocket. */
export function requireSupported({ startupProbe, livenessProbe, readinessProbe, lifecycle }: Container): void {
  const parts: Readonly<Record<string, Action | undefined>> = {
    startupProbe,
    livenessProbe,
    readinessProbe,
    'lifecycle.postStart': lifecycle?.postStart,
    'lifecycle.preStop': lifecycle?.preStop,
  }
  for (const [part, action] of Object.entries(parts)) {
    if (action?.grpc) throw new Lacking(`${part}.grpc is not supported by the embedded cluster: use exec or httpGet`)
  }
}

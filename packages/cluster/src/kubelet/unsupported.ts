// The settings of a pod that this kubelet refuses, and those that its runtime does not enforce. Nothing is ignored silently.
import { field, isObject } from '../api/values/json.ts'
import { ConfigError } from './lookup.ts'
import type { Action, Container, Pod } from './pod.ts'

/** Lists the settings that a runtime without isolation does not enforce, for example `runner: securityContext.runAsUser, resources.limits`. */
export function unenforcedSettings({ spec }: Pod): readonly string[] {
  const own = namesOf(spec, 'securityContext')
  const containers = [...(spec.initContainers ?? []), ...spec.containers].flatMap((container) => {
    const names = [...namesOf(container, 'securityContext'), ...(limits(container) ? ['resources.limits'] : [])]
    return names.length > 0 ? [`${container.name}: ${names.join(', ')}`] : []
  })
  return own.length > 0 ? [`pod: ${own.join(', ')}`, ...containers] : containers
}

function namesOf(value: object, part: string): readonly string[] {
  const settings = field(value, part)
  return Object.keys(isObject(settings) ? settings : {}).map((name) => `${part}.${name}`)
}

function limits(container: object): boolean {
  const found = field(container, 'resources', 'limits')
  return isObject(found) && Object.keys(found).length > 0
}

/** Throws a `ConfigError` for a gRPC probe or hook. */
export function checkSupported({ startupProbe, livenessProbe, readinessProbe, lifecycle }: Container): void {
  const parts: Readonly<Record<string, Action | undefined>> = {
    startupProbe,
    livenessProbe,
    readinessProbe,
    'lifecycle.postStart': lifecycle?.postStart,
    'lifecycle.preStop': lifecycle?.preStop,
  }
  for (const [part, action] of Object.entries(parts)) {
    if (action?.grpc)
      throw new ConfigError(`${part}.grpc is not supported by the embedded cluster: use exec or httpGet`)
  }
}

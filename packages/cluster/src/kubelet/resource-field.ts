// The value of a `resourceFieldRef`: a request or limit of a container, in units of a divisor. A missing limit is what the node has.
// Source: https://github.com/kubernetes/kubernetes/blob/release-1.36/pkg/api/v1/resource/helpers.go
import type { Registry } from '../api/registry.ts'
import { text } from '../api/values/json.ts'
import { parseQuantity } from '../api/values/quantity.ts'
import { ConfigError } from './lookup.ts'
import type { Pod, ResourceField } from './pod.ts'

/** @param container the name of the container that asks. A volume names its container in the reference. */
export function readResource(registry: Registry, pod: Pod, field: ResourceField, container?: string): string {
  const [kind = '', ...rest] = field.resource.split('.')
  const resource = rest.join('.')
  if (kind !== 'limits' && kind !== 'requests')
    throw new ConfigError(`unsupported container resource : ${field.resource}`)
  const wanted = field.containerName || container
  const found = [...pod.spec.containers, ...(pod.spec.initContainers ?? [])].find(({ name }) => name === wanted)
  if (!found) throw new ConfigError(`container ${wanted ?? ''} not found`)
  const own = text(found, 'resources', kind, resource)
  const node = registry.get('nodes', undefined, pod.spec.nodeName ?? '')
  const given = own === '' && kind === 'limits' ? text(node, 'status', 'allocatable', resource) : own
  const nano = parseQuantity(given === '' ? '0' : given)?.nano ?? 0n
  const divisor = parseQuantity(String(field.divisor ?? '1'))?.nano ?? 0n
  const unit = divisor === 0n ? 1_000_000_000n : divisor
  return String((nano + unit - 1n) / unit)
}

// Reads a container's environment, and expands the `$(NAME)` references in it and in the command.
import type { Registry } from '../api/registry.ts'
import type { ClusterAccess, KubeletContext } from './context.ts'
import { ConfigError, readData, readField, type Source } from './lookup.ts'
import type { Container, EnvVar, Pod } from './pod.ts'
import { readResource } from './resource-field.ts'

/** Returns the environment. Throws a `ConfigError`, in the kubelet's words, if a value is not available. */
export function readEnvironment(
  { registry, access }: Pick<KubeletContext, 'registry' | 'access'>,
  pod: Pod,
  container: Container,
): Record<string, string> {
  const environment: Record<string, string> = { HOSTNAME: pod.metadata.name, ...serverVariables(access) }
  const { namespace } = pod.metadata
  for (const { prefix = '', secretRef, configMapRef } of container.envFrom ?? []) {
    const reference = secretRef ?? configMapRef
    if (!reference) continue
    const resource: Source = secretRef ? 'secrets' : 'configmaps'
    const data = readData(registry, namespace, { resource, ...reference })
    for (const [key, bytes] of data ?? []) environment[`${prefix}${key}`] = Buffer.from(bytes).toString('utf8')
  }
  for (const variable of container.env ?? []) {
    const value = readValue(registry, pod, container, variable)
    if (value !== undefined) environment[variable.name] = variable.valueFrom ? value : expand(value, environment)
  }
  return environment
}

/** The variables of the Service `kubernetes`, through which containers find the API server. */
function serverVariables({ address }: ClusterAccess): Record<string, string> {
  const server = address()
  if (server === undefined) return {}
  const { host, port } = server
  return {
    KUBERNETES_SERVICE_HOST: host,
    KUBERNETES_SERVICE_PORT: String(port),
    KUBERNETES_SERVICE_PORT_HTTPS: String(port),
    KUBERNETES_PORT: `tcp://${host}:${port}`,
  }
}

/** Replaces `$(NAME)` by the variable's value if it exists. `$$(NAME)` becomes `$(NAME)`. */
export function expand(text: string, environment: Readonly<Record<string, string>>): string {
  return text.replace(/\$\$|\$\(([^()]*)\)/g, (whole, name: string | undefined) =>
    name === undefined ? '$' : Object.hasOwn(environment, name) ? (environment[name] ?? whole) : whole,
  )
}

function readValue(
  registry: Registry,
  pod: Pod,
  container: Container,
  { name: variable, value, valueFrom }: EnvVar,
): string | undefined {
  if (!valueFrom) return value ?? ''
  const { secretKeyRef, configMapKeyRef, fieldRef, resourceFieldRef } = valueFrom
  if (fieldRef) return readField(pod, fieldRef.fieldPath)
  const reference = secretKeyRef ?? configMapKeyRef
  if (resourceFieldRef) return readResource(registry, pod, resourceFieldRef, container.name)
  if (!reference) throw new ConfigError(`the source of ${variable} is not supported by the embedded cluster`)
  const resource: Source = secretKeyRef ? 'secrets' : 'configmaps'
  const { name, key, optional } = reference
  const { namespace } = pod.metadata
  const bytes = readData(registry, namespace, { resource, name, optional })?.get(key)
  if (bytes) return Buffer.from(bytes).toString('utf8')
  if (optional) return undefined
  const kind = resource === 'secrets' ? 'Secret' : 'ConfigMap'
  throw new ConfigError(`couldn't find key ${key} in ${kind} ${namespace}/${name}`, { resource, name })
}

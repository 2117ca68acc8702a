// Finds templates that the API server accepts and whose pods never start or never end (docs/reference/kubernetes.md#s9).
import type { Failure } from '../model/failure.ts'
import { runnerContainer } from './pod.ts'

type Container = {
  readonly name?: unknown
  readonly image?: unknown
  readonly command?: unknown
  readonly args?: unknown
  readonly restartPolicy?: unknown
  readonly lifecycle?: { readonly postStart?: { readonly exec?: unknown } }
}

/** Returns the first hazard of a merged pod spec; undefined if there is none. */
export function hazardOf(spec: Readonly<Record<string, unknown>>): Failure | undefined {
  const containers = listOf(spec['containers'])
  const init = listOf(spec['initContainers'])
  if (!containers.some((container) => container.name === runnerContainer)) {
    return { reason: 'template-invalid', message: `spec.containers has no container named ${runnerContainer}` }
  }
  return daemonInInit(init) ?? hookInSharedNamespace(spec, [...init, ...containers])
}

/** A daemon in an ordinary init container never ends, so the runner never starts (docs/reference/incidents.md#s1). */
function daemonInInit(init: readonly Container[]): Failure | undefined {
  const at = init.findIndex((container) => isDockerDaemon(container) && container.restartPolicy !== 'Always')
  if (at < 0) return undefined
  const field = `spec.initContainers[${at}].restartPolicy`
  return {
    reason: 'template-hangs',
    message: `${field}: a Docker daemon never ends by itself; set it to Always, so that it is a native sidecar`,
  }
}

/** An exec hook in a shared PID namespace may never return. Then the pod can neither start nor stop (docs/reference/incidents.md#s3). */
function hookInSharedNamespace(
  spec: Readonly<Record<string, unknown>>,
  containers: readonly Container[],
): Failure | undefined {
  if (spec['hostPID'] !== true && spec['shareProcessNamespace'] !== true) return undefined
  const hooked = containers.find((container) => container.lifecycle?.postStart?.exec !== undefined)
  if (!hooked) return undefined
  return {
    reason: 'template-hangs',
    message: `container ${String(hooked.name)}: a postStart exec hook in a shared PID namespace may hang; remove the hook or the sharing`,
  }
}

function isDockerDaemon(container: Container): boolean {
  if (typeof container.image === 'string' && /(^|\/)docker(:[^/]*)?dind|[:-]dind(-|$)/.test(container.image))
    return true
  const words = [container.command, container.args].flat().filter((word) => typeof word === 'string')
  return words.some((word) => /(^|[\s/])dockerd(\s|$|-entrypoint)/.test(word))
}

function listOf(value: unknown): readonly Container[] {
  return Array.isArray(value) ? (value as readonly Container[]) : []
}

// Finds templates that the API server accepts and whose pods never start or never end (docs/reference/kubernetes.md#s9).
// A helper that never ends is no hazard here, except Docker: Dayfly deletes the pod when its runner container has ended.
import { engineOfProgram, imageParts, namesDind } from '../model/container-engine.ts'
import type { Failure } from '../model/failure.ts'
import { runnerContainer } from '../model/runner-names.ts'

type Container = {
  readonly name?: unknown
  readonly image?: unknown
  readonly command?: unknown
  readonly args?: unknown
  readonly restartPolicy?: unknown
  readonly lifecycle?: { readonly postStart?: { readonly exec?: { readonly command?: unknown } } }
}

type Spec = Readonly<Record<string, unknown>>

/** A template without the runner cannot work at all, so no setting of the set allows it. */
export function withoutRunner(spec: Spec): Failure | undefined {
  if (listOf(spec['containers']).some(({ name }) => name === runnerContainer)) return undefined
  return { reason: 'template-invalid', message: `spec.containers has no container named ${runnerContainer}` }
}

/** Returns the hazards of a merged pod spec, each with its path and its fix. */
export function hazardsOf(spec: Spec): readonly Failure[] {
  const containers = listOf(spec['containers'])
  const init = listOf(spec['initContainers'])
  return [
    ...init.flatMap((container, at) => blockingInit(container, `spec.initContainers[${at}]`)),
    ...containers.flatMap((container, at) => dockerBesideRunner(container, `spec.containers[${at}]`)),
    ...init.flatMap((container, at) => hangingHook(spec, container, `spec.initContainers[${at}]`)),
    ...containers.flatMap((container, at) => hangingHook(spec, container, `spec.containers[${at}]`)),
  ].map((message) => ({ reason: 'template-hangs', message }))
}

/** A plain init container that never ends keeps the runner from starting (docs/reference/incidents.md#s1). */
function blockingInit(container: Container, path: string): readonly string[] {
  if (container.restartPolicy === 'Always') return []
  if (isDockerDaemon(container)) {
    return [
      `${path}.restartPolicy: a Docker daemon never ends by itself; set docker: sidecar in the RunnerSet, or restartPolicy Always here`,
    ]
  }
  if (!/\b(sleep (infinity|inf)|tail -[fF])\b/.test(commandOf(container))) return []
  return [`${path}: the command never ends, and the runner waits for it; let it end, or set restartPolicy Always`]
}

/** Docker in an ordinary container keeps the pod running after its runner has ended (docs/reference/incidents.md#s0). */
function dockerBesideRunner(container: Container, path: string): readonly string[] {
  if (container.name === runnerContainer || !isDockerDaemon(container)) return []
  const why = `a Docker daemon in an ordinary container keeps the pod running after the runner has ended`
  return [`${path}: ${why}; remove the container and set docker: sidecar in the RunnerSet`]
}

/** While a hook runs, the pod can neither start nor stop. In a shared PID namespace it may never return (docs/reference/incidents.md#s3). */
function hangingHook(spec: Spec, container: Container, path: string): readonly string[] {
  const exec = container.lifecycle?.postStart?.exec
  if (exec === undefined) return []
  const at = `${path}.lifecycle.postStart`
  if (spec['hostPID'] === true || spec['shareProcessNamespace'] === true) {
    return [`${at}: an exec hook in a shared PID namespace may hang; remove the hook or the sharing`]
  }
  const text = wordsOf(exec.command).join(' ')
  if (/\btimeout\b/.test(text) || !/\b(until|while)\b|\bsleep (infinity|inf)\b|\btail -[fF]\b/.test(text)) return []
  return [
    `${at}: a hook that waits without a limit blocks the start and the deletion of the pod; wrap it in timeout, or use a startup probe`,
  ]
}

/** A command decides alone. Without one, the image runs its daemon, unless the arguments name another program. */
function isDockerDaemon(container: Container): boolean {
  const { image, command, args } = container
  const words = commandOf(container).split(/[\s;&|]+/)
  const engines = words.map((_, at) => engineOfProgram(words.slice(at)))
  if (engines.includes('docker') || engines.includes('buildkit')) return true
  if (wordsOf(command).length > 0 || typeof image !== 'string') return false
  const [first = '--'] = wordsOf(args)
  const { name, tag } = imageParts(image)
  return first.startsWith('-') && (namesDind(name) || namesDind(tag))
}

function commandOf({ command, args }: Container): string {
  return [...wordsOf(command), ...wordsOf(args)].join(' ')
}

function wordsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((word) => typeof word === 'string') : []
}

function listOf(value: unknown): readonly Container[] {
  return Array.isArray(value) ? (value as readonly Container[]) : []
}

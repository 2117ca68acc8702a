// Starts one container: image, environment, process, postStart hook. If one of them fails, it uses Kubernetes' reasons and back-offs.
import type { Instant } from '@dayfly/kit/clock'
import { field } from '../api/values/json.ts'
import type { AdoptedContainer, ContainerConfig, ContainerEnd, ContainerStart, Volume } from '../runtime/runtime.ts'
import { refuseConfig, refuseImage, waitForCrash } from './backoff.ts'
import { fieldOf, type PodContext } from './context.ts'
import { expand, readEnvironment } from './environment.ts'
import { runPostStart } from './hooks.ts'
import { ConfigError } from './lookup.ts'
import type { Container, VolumeMount } from './pod.ts'
import { watchProbes } from './probes.ts'
import { type ContainerRecord, idOf } from './record.ts'
import { graceSecondsOf, stopContainer } from './termination.ts'
import { terminationMessage } from './termination-message.ts'
import { checkSupported } from './unsupported.ts'

/**
 * Starts the container, or records why it must wait and sets the time of the next try.
 * Resolves when the postStart hook has returned. Nothing else happens to the pod until then.
 */
export async function startContainer(
  context: PodContext,
  record: ContainerRecord,
  volumes: ReadonlyMap<string, Volume>,
): Promise<void> {
  const { runtime, events } = context
  const { spec } = record
  if (waitForCrash(context, record)) return
  const image = runtime.image(spec.image, spec.imagePullPolicy ?? 'IfNotPresent', (spec.command ?? []).length > 0)
  if (image.is === 'refused') return refuseImage(context, record, image)
  reportImage(context, record)
  const config = readConfig(context, record, volumes)
  if (config instanceof ConfigError) return refuseConfig(context, record, config)
  if (record.state.is === 'terminated') record.last = record.state
  record.refusals = 0
  record.failing = undefined
  record.attempt++
  const started = await runtime.start({ ...config, id: idOf(context.pod(), record) })
  events.record('Normal', 'Created', 'Container created', fieldOf(record))
  if (started.is === 'failed') return failToStart(context, record, started.message)
  events.record('Normal', 'Started', 'Container started', fieldOf(record))
  const isOver = follow(context, record, started)
  const { postStart } = spec.lifecycle ?? {}
  const isGood = !postStart || (await runPostStart(context, record, postStart))
  const graceSeconds = graceSecondsOf(context.pod())
  if (!isGood) await stopContainer(context, record, { graceSeconds, why: 'FailedPostStartHook' })
  if (!isOver()) settle(context, record, started)
}

/**
 * Takes over a container that an earlier kubelet started. Its postStart hook is not called again.
 * Resolves at once if it runs, otherwise when its end is recorded.
 *
 * @param reported the container's status, if it describes this attempt. A restart of the kubelet keeps `started` and `ready`
 * (https://www.kubernetes.dev/resources/keps/4781/).
 */
export async function adoptContainer(
  context: PodContext,
  record: ContainerRecord,
  found: AdoptedContainer,
  reported?: object,
): Promise<void> {
  const isOver = follow(context, record, found)
  if (!found.isRunning) return await record.ended
  if (isOver()) return
  const [started, ready] = [field(reported, 'started') === true, field(reported, 'ready') === true]
  settle(context, record, found, { started, ready })
}

/** As a kubelet does before each start: it goes on without the Secrets, whether or not the image needs a pull. */
export function reportPullSecrets({ pod, registry, events }: PodContext): void {
  const { metadata, spec } = pod()
  const missing = (spec.imagePullSecrets ?? []).flatMap(({ name = '' }) =>
    name !== '' && registry.get('secrets', metadata.namespace, name) === undefined ? [name] : [],
  )
  if (missing.length === 0) return
  const message = `Unable to retrieve some image pull secrets (${missing.join(', ')}); attempting to pull the image may not succeed.`
  events.record('Warning', 'FailedToRetrieveImagePullSecret', message)
}

function reportImage({ events }: PodContext, record: ContainerRecord): void {
  const { image, imagePullPolicy } = record.spec
  const report = (reason: string, message: string) => events.record('Normal', reason, message, fieldOf(record))
  if (imagePullPolicy !== 'Always') {
    report('Pulled', `Container image "${image}" already present on machine and can be accessed by the pod`)
    return
  }
  report('Pulling', `Pulling image "${image}"`)
  report('Pulled', `Successfully pulled image "${image}" in 0s (0s including waiting). Image size: 0 bytes.`)
}

type Started = Extract<ContainerStart, { is: 'started' }>

/** Records the end of the container when it happens. Returns a function that says whether it has. */
function follow(context: PodContext, record: ContainerRecord, { startedAt, ended }: Started): () => boolean {
  let hasEnded = false
  record.ended = ended.then(async (end) => {
    hasEnded = true
    noteEnd(record, startedAt, { ...end, message: await terminationMessage(context, record, end) })
    context.wake()
  })
  return () => hasEnded
}

/** @param before what the probes have shown so far */
function settle(
  context: PodContext,
  record: ContainerRecord,
  { startedAt }: Started,
  before = { started: false, ready: false },
): void {
  record.state = { is: 'running', startedAt }
  record.started = record.spec.startupProbe === undefined || before.started
  record.ready = record.spec.readinessProbe === undefined || before.ready
  watchProbes(context, record)
}

/** Returns what a new container and one that already runs have in common. */
function settingsOf({ pod }: PodContext, { image, workingDir, terminationMessagePath }: Container) {
  const { hostPID = false, shareProcessNamespace = false } = pod().spec
  return { image, workingDir, terminationMessagePath, isFirstProcess: !hostPID && !shareProcessNamespace }
}

function readConfig(
  context: PodContext,
  { spec }: ContainerRecord,
  volumes: ReadonlyMap<string, Volume>,
): Omit<ContainerConfig, 'id'> | ConfigError {
  try {
    checkSupported(spec)
    const env = readEnvironment(context, context.pod(), spec)
    const mounts = (spec.volumeMounts ?? []).flatMap((mount) => {
      const volume = volumes.get(mount.name)
      return volume ? [{ mountPath: mount.mountPath, subPath: subPathOf(mount, env), volume }] : []
    })
    const expanded = (words: readonly string[] = []) => words.map((word) => expand(word, env))
    const words = { command: expanded(spec.command), args: expanded(spec.args) }
    return { ...settingsOf(context, spec), ...words, env, mounts }
  } catch (error) {
    if (error instanceof ConfigError) return error
    throw error
  }
}

type Environment = Readonly<Record<string, string>>

/** Returns the path below the volume. Throws a `ConfigError`, in the kubelet's words, for one that leaves the volume. */
function subPathOf({ subPath, subPathExpr = '' }: VolumeMount, env: Environment): string | undefined {
  const names = [...subPathExpr.matchAll(/\$\$|\$\(([^()]*)\)/g)].flatMap(([, name]) => name ?? [])
  const missing = names.filter((name) => !Object.hasOwn(env, name) || env[name] === '')
  if (missing.length > 0) throw new ConfigError(`missing value for ${[...new Set(missing)].sort().join(', ')}`)
  const path = subPath ?? (subPathExpr === '' ? undefined : expand(subPathExpr, env))
  if (path?.startsWith('/')) throw new ConfigError(`error SubPath \`${path}\` must not be an absolute path`)
  if (path?.split('/').includes('..'))
    throw new ConfigError(`unable to provision SubPath \`${path}\`: must not contain '..'`)
  return path
}

function noteEnd(record: ContainerRecord, startedAt: Instant, end: ContainerEnd): void {
  const { exitCode, finishedAt } = end
  const reason = end.reason ?? (exitCode === 0 ? 'Completed' : 'Error')
  record.state = { is: 'terminated', exitCode, reason, message: end.message, startedAt, finishedAt }
  record.started = false
  record.ready = false
}

/** Records a container that could not be started, as Kubernetes does: `StartError`, exit code 128, no start time. */
function failToStart(context: PodContext, record: ContainerRecord, message: string): void {
  context.events.record('Warning', 'Failed', `Error: ${message}`, fieldOf(record))
  const finishedAt = context.clock.now()
  record.state = { is: 'terminated', exitCode: 128, reason: 'StartError', message, startedAt: 0, finishedAt }
  context.wake()
}

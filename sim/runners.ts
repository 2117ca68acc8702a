// The runners of the simulation: each container reads its credential, connects to its forge, and runs what it gets.
import type { PlayedContainer, Script } from '@dayfly/cluster/runtime/scripted/scripted-runtime'
import type { BitbucketEmulator } from '@dayfly/forge-emulators/bitbucket/emulator'
import type { GitHubEmulator } from '@dayfly/forge-emulators/github/emulator'
import type { JobReport } from '@dayfly/forge-emulators/job'
import { readCredential } from '@dayfly/forge-emulators/runner/credential'
import { randomInteger } from '@dayfly/kit/random'
import { giteaFiles } from '@dayfly/runner-set/model/forges/gitea'
import { type GiteaRunnerOptions, runOfGitea } from './gitea/runner.ts'
import { type JobPodsOptions, jobImage, jobScript, runInPod } from './job-pods.ts'

export type RunnerOptions = GiteaRunnerOptions &
  JobPodsOptions & {
    readonly github: GitHubEmulator
    readonly bitbucket: BitbucketEmulator
    /** The chance that a container never connects, and that it ignores SIGTERM. */
    readonly neverOnline: () => number
    readonly ignoresTerm: () => number
    /** How a container of GitHub ends whose registration is gone. */
    readonly exitCodeOfUnregistered: () => number
    /** Called once for each container that has read a credential. */
    readonly onCredential: (container: PlayedContainer, credential: string) => void
    /** Receives every container while it runs. */
    readonly alive: Map<string, PlayedContainer>
  }

const succeeded: JobReport = { conclusion: 'success', outputs: {}, steps: [], note: undefined }
const failed: JobReport = { ...succeeded, conclusion: 'failure' }

/** Returns how one container behaves. Every container is a runner or a job: the sets of the simulation have no others. */
export function runnerScript(options: RunnerOptions, image: string): Script {
  if (image === jobImage) return jobScript
  const { random, alive } = options
  const onTerm =
    random() < options.ignoresTerm() ? 'ignored' : { afterMs: randomInteger(random, 10, 2_000), exitCode: 143 }
  return {
    onTerm,
    play: (container) => {
      const { pod } = container.config.id
      alive.set(pod, container)
      void container.ended.then(() => alive.delete(pod))
      void run(options, container)
    },
  }
}

async function run(options: RunnerOptions, container: PlayedContainer): Promise<void> {
  const { clock, random } = options
  const { env } = container.config
  const uuid = env['RUNNER_UUID']?.replace(/[{}]/g, '')
  const state = uuid === undefined ? fileOf(container, giteaFiles.state) : undefined
  const jit = uuid === undefined ? fileOf(container, 'credential') : undefined
  options.onCredential(container, uuid ?? jit ?? state ?? '')
  if (random() < options.neverOnline()) return
  await clock.sleep(randomInteger(random, 200, 6_000))
  if (uuid !== undefined) await runOfBitbucket(options, container, uuid)
  else if (state !== undefined) await runOfGitea(options, container, JSON.parse(state).uuid)
  else await runOfGitHub(options, container, readCredential(jit ?? '')?.name ?? '')
}

/** Returns the text of a file in the Secret of the runner. */
function fileOf({ config }: PlayedContainer, name: string): string | undefined {
  const files = config.mounts.flatMap(({ volume }) => volume.files)
  const file = files.find(({ path }) => path === name)
  return file && Buffer.from(file.data).toString()
}

/** GitHub's runner runs one job and exits. It also exits when its registration is gone. */
async function runOfGitHub(options: RunnerOptions, container: PlayedContainer, name: string): Promise<void> {
  const { clock, random, github } = options
  const { stub } = github.control
  const gone = new AbortController()
  void container.ended.then(() => {
    // A reason of its own spares the stack of an exception that nobody reads.
    gone.abort('the container has ended')
    stub.vanish(name)
  })
  if (gone.signal.aborted) return
  if (stub.online(name) !== 'online') return container.end({ exitCode: 1 })
  while (!gone.signal.aborted) {
    // The poll rejects when the container ends.
    const job = await stub.job(name, gone.signal).catch(() => undefined)
    if (gone.signal.aborted) return
    if (job === 'absent') return container.end({ exitCode: options.exitCodeOfUnregistered() })
    if (!job) continue
    await clock.sleep(randomInteger(random, 20, 1_500))
    if (gone.signal.aborted) return
    if (stub.start(name) !== 'started') continue
    // GitHub may have reserved another job for the runner since it heard of the first.
    const started = await stub.job(name, gone.signal)
    if (typeof started !== 'object') continue
    const ran = await runJob(options, container, name, started.spec.durationMs ?? 0)
    if (gone.signal.aborted) return
    stub.finish(name, ran && !started.spec.exitCode ? succeeded : failed)
    await clock.sleep(randomInteger(random, 20, 1_500))
    return container.end({ exitCode: 0 })
  }
}

/** Returns whether nothing went wrong but the job itself. */
async function runJob(
  options: RunnerOptions,
  { config, ended }: PlayedContainer,
  name: string,
  ms: number,
): Promise<boolean> {
  if (config.env['ACTIONS_RUNNER_CONTAINER_HOOKS'] === undefined) {
    await options.clock.sleep(ms)
    return true
  }
  let isOver = false
  void ended.then(() => {
    isOver = true
  })
  return runInPod(options, { uid: config.id.pod, name, ms, isOver: () => isOver })
}

/** Bitbucket's runner runs step after step. The emulator times the steps of a stub runner. */
async function runOfBitbucket({ bitbucket }: RunnerOptions, container: PlayedContainer, uuid: string): Promise<void> {
  const { stub } = bitbucket.control
  let isOver = false
  void container.ended.then(() => {
    isOver = true
    stub.vanish(uuid)
  })
  await Promise.resolve()
  if (!isOver && !stub.online(uuid)) container.end({ exitCode: 1 })
}

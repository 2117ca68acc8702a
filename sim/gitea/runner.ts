// Gitea's runner in the simulation: it takes one job and ends. The emulator times the tasks of a stub runner.
import type { PlayedContainer } from '@dayfly/cluster/runtime/scripted/scripted-runtime'
import type { GiteaEmulator } from '@dayfly/forge-emulators/gitea/emulator'
import { type Random, randomInteger } from '@dayfly/kit/random'
import type { VirtualClock } from '@dayfly/kit/virtual-clock'

export type GiteaRunnerOptions = {
  readonly clock: VirtualClock
  readonly random: Random
  readonly gitea: GiteaEmulator
  /** The chance that the answer with a job is lost. */
  readonly lostTask: () => number
  /** The names of runners that something outside Dayfly ended. */
  readonly harmed: Set<string>
}

/** Like the official runner, it polls forever if its registration is gone, or if the answer with its job was lost. */
export async function runOfGitea(options: GiteaRunnerOptions, container: PlayedContainer, uuid: string): Promise<void> {
  const { clock, random, harmed } = options
  const { stub, onJob } = options.gitea.control
  let hasJob = false
  let isOver = false
  const ignore = onJob(({ kind, runner = '', runnerUuid }) => {
    if (runnerUuid !== uuid) return
    if (kind === 'started' && random() < options.lostTask()) {
      harmed.add(runner)
      // The emulator is in the middle of this job's start.
      queueMicrotask(() => stub.vanish(uuid))
    } else if (kind === 'started') hasJob = true
    // The runner learns of a cancelled job with its next report.
    else if (kind === 'finished' && hasJob) {
      clock.after(randomInteger(random, 20, 5_000), () => container.end({ exitCode: 0 }))
    }
  })
  void container.ended.then(() => {
    isOver = true
    ignore()
    stub.vanish(uuid)
  })
  await Promise.resolve()
  // Its first call declares its labels, and ends it if that fails.
  if (!isOver && !stub.online(uuid)) container.end({ exitCode: 1 })
}

// The emulated GitHub of the lab, and its runners as scripts of containers: a runner runs one job and ends.
import type { PlayedContainer, Script } from '@dayfly/cluster/runtime/scripted/scripted-runtime'
import { createGitHubEmulator } from '@dayfly/forge-emulators/github/emulator'
import type { JobReport } from '@dayfly/forge-emulators/job'
import { readCredential } from '@dayfly/forge-emulators/runner/credential'
import type { Clock } from '@dayfly/kit/clock'
import { seededRandom } from '@dayfly/kit/random'

const token = 'token-of-the-lab'
const succeeded: JobReport = { conclusion: 'success', outputs: {}, steps: [], note: undefined }

/** The address of the emulated forge. It is a name only: no socket is opened. */
export const githubUrl = 'https://github.lab/acme'

export type GitHubWorld = ReturnType<typeof openGitHub>

/** @param latencyMs the latency of each call */
export function openGitHub(clock: Clock, latencyMs = 0) {
  const emulator = createGitHubEmulator({ clock, random: seededRandom(3), latencyMs, tokens: [token] })
  return { emulator, runner: runnerScript(emulator.control, clock), secret: { github_token: token } }
}

type Control = ReturnType<typeof createGitHubEmulator>['control']

/** A container without a credential of the emulated forge runs until it is stopped, as a runner without a job does. */
function runnerScript({ stub }: Control, clock: Clock): Script {
  const run = async (container: PlayedContainer) => {
    const name = nameOf(container)
    if (name === undefined) return
    const over = new AbortController()
    void container.ended.then(() => {
      over.abort()
      stub.vanish(name)
    })
    try {
      await clock.sleep(2_000, over.signal)
      if (stub.online(name) !== 'online') return container.end({ exitCode: 1 })
      for (;;) {
        const job = await stub.job(name, over.signal)
        // A runner whose registration is gone leaves with code 0, and says so only in its log (docs/reference/scale-set-protocol.md#s15-4).
        if (job === 'absent') return container.end({ exitCode: 0 })
        if (!job || stub.start(name) !== 'started') continue
        await clock.sleep(job.spec.durationMs ?? 0, over.signal)
        stub.finish(name, succeeded)
        return container.end({ exitCode: 0 })
      }
    } catch (error) {
      if (!over.signal.aborted) throw error
    }
  }
  return { play: (container) => void run(container), onTerm: { afterMs: 100, exitCode: 143 } }
}

function nameOf({ config }: PlayedContainer): string | undefined {
  const file = config.mounts.flatMap(({ volume }) => volume.files).find(({ path }) => path === 'credential')
  return file && readCredential(Buffer.from(file.data).toString())?.name
}

// A RunnerSet of Dayfly for the emulated GitHub of the lab, and jobs for it.
import { runnerSets, secrets } from '@dayfly/controller/resources'
import { scriptJob } from '@dayfly/forge-emulators/github/script-job'
import { dayflyNamespace } from './dayfly.ts'
import { type GitHubWorld, githubUrl } from './github-world.ts'
import { create } from './objects.ts'
import type { World } from './world.ts'

const setName = 'builds'

/** @param spec the fields besides `github` */
export async function createSet(world: World, forge: GitHubWorld, spec: object): Promise<void> {
  const namespace = dayflyNamespace
  await create(world, secrets, { metadata: { name: 'github', namespace }, stringData: forge.secret })
  const github = { url: githubUrl, credentials: { secret: 'github' }, labels: [setName] }
  await create(world, runnerSets, { metadata: { name: setName, namespace }, spec: { github, ...spec } })
}

/** Queues jobs that run for `durationMs`. Returns their ids. */
export function queueJobs({ emulator }: GitHubWorld, count: number, durationMs: number): readonly string[] {
  const jobs = Array.from({ length: count }, (_, index) => {
    const name = `job-${index + 1}`
    return { labels: [setName], name, message: scriptJob(name, []), durationMs }
  })
  return emulator.control.queueJobs(jobs).map(({ id }) => id)
}

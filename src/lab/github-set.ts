// A RunnerSet of Dayfly for the emulated GitHub of the lab, and jobs for it.
import { scriptJob } from '../emulator/github/script-job.ts'
import { dayflyNamespace } from './dayfly.ts'
import { type GitHubWorld, githubUrl } from './github-world.ts'
import type { World } from './world.ts'

const setName = 'builds'

/** @param spec the fields besides `github` */
export function createSet(world: World, forge: GitHubWorld, spec: object): void {
  const metadata = { name: 'github', namespace: dayflyNamespace }
  world.create('secrets', { apiVersion: 'v1', kind: 'Secret', metadata, stringData: forge.secret })
  const github = { url: githubUrl, credentials: { secret: 'github' }, labels: [setName] }
  world.create('runnersets.dayfly.dev', {
    apiVersion: 'dayfly.dev/v1alpha1',
    kind: 'RunnerSet',
    metadata: { name: setName, namespace: dayflyNamespace },
    spec: { github, ...spec },
  })
}

/** Queues jobs that run for `durationMs`. Returns their ids. */
export function queueJobs({ emulator }: GitHubWorld, count: number, durationMs: number): readonly string[] {
  const jobs = Array.from({ length: count }, (_, index) => {
    const name = `job-${index + 1}`
    return { labels: [setName], name, message: scriptJob(name, []), durationMs }
  })
  return emulator.control.queueJobs(jobs).map(({ id }) => id)
}

// A job is repeated at most once, and only if its runner died under it: never one that ended by itself, nor one whose runner lives.
import type { Checker } from './checker.ts'

const endPath = /\/actions\/runs\/(\d+)\/force-cancel$/

export const reruns: Checker = {
  name: 'reruns',
  watch: ({ github, registry, alive, observers, harmed, prints }, broken) => {
    const { control } = github
    control.onJob(({ kind, repeats }) => {
      if (kind !== 'queued' || repeats === undefined) return
      if (prints.repeats.seen(repeats)) broken(`the job ${repeats} is repeated twice`)
      const job = control.job(repeats)
      const runner = job?.runner?.name ?? ''
      const reported = job?.report?.note === undefined
      if (job?.result === 'succeeded' || (reported && job?.spec.exitCode))
        broken(`the job ${repeats} is repeated, and it ended by itself`)
      if (!harmed.has(runner))
        broken(`the job ${repeats} is repeated, and nothing outside Dayfly ended its runner ${runner}`)
    })
    observers.sent.add((identity, server, { method, path }) => {
      const run = method === 'POST' && server === 'forge' ? endPath.exec(path)?.[1] : undefined
      for (const job of run === undefined ? [] : control.run(Number(run))) {
        const name = job.state === 'running' ? job.runner?.name : undefined
        const pod =
          name === undefined ? undefined : registry.list('pods').find(({ metadata }) => metadata.name === name)
        if (pod && alive.has(pod.metadata.uid)) broken(`${identity} ends the run ${run}, whose runner ${name} lives`)
      }
    })
  },
}

// A runner and its job as one registration. The server's own word for busy is wrong in both directions (docs/reference/gitea.md#s1).
import type { Registration } from '@dayfly/runner-set/model/runner'
import type { JobsView } from './jobs-view.ts'
import type { ListedRunner } from './wire.ts'

/** @param busy the ids of the runners that have a job */
export function registrationOf(runner: ListedRunner, busy: ReadonlySet<string>): Registration {
  const { id, name, isOnline, isActive = false, isCordoned } = runner
  const isBusy = isActive || busy.has(id)
  return { id, name, status: isOnline || isBusy ? 'online' : 'offline', busy: isBusy, isCordoned }
}

/**
 * Returns the runners of a set that have a running job and are missing from the list of runners. An operator has deleted such a
 * registration, and the runner works on (docs/reference/gitea.md#s9).
 */
export function unlistedRunners({ jobs, runners }: JobsView, prefix: string): readonly Registration[] {
  const listed = new Set(runners.map(({ id }) => id))
  return jobs.flatMap(({ state, runnerId: id, runnerName: name }) => {
    if (state !== 'running' || id === undefined || !name?.startsWith(prefix) || listed.has(id)) return []
    return [{ id, name, status: 'unknown', busy: true } as const]
  })
}

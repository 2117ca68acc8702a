// A runner and its job as one registration. The server's own word for busy is wrong in both directions (docs/reference/gitea.md#s1).
import type { Registration } from '@dayfly/runner-set/model/runner'
import type { JobsView } from './jobs-view.ts'
import type { ListedRunner } from './wire.ts'

/** @param view undefined for a runner that was just registered */
export function registrationOf(runner: ListedRunner, view: Pick<JobsView, 'jobs'> | undefined): Registration {
  const { id, name, isOnline, isActive = false, isCordoned } = runner
  const isBusy = isActive || view?.jobs.some((job) => job.state === 'running' && job.runnerId === id) === true
  return { id, name, status: isOnline || isBusy ? 'online' : 'offline', busy: isBusy, isCordoned }
}

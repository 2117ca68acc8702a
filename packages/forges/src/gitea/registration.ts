// A runner and its job as one registration. The server's own word for busy is wrong in both directions (docs/reference/gitea.md#s1).
import type { Registration } from '@dayfly/runner-set/model/runner'
import type { ListedRunner } from './wire.ts'

/** @param busy the ids of the runners that have a job */
export function registrationOf(runner: ListedRunner, busy: ReadonlySet<string>): Registration {
  const { id, name, isOnline, isActive = false, isCordoned } = runner
  const isBusy = isActive || busy.has(id)
  return { id, name, status: isOnline || isBusy ? 'online' : 'offline', busy: isBusy, isCordoned }
}

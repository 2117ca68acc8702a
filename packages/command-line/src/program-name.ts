// The name by which the operator started this program. Installed as `kubectl-dayfly`, it is a command of kubectl.
import path from 'node:path'

/** Returns `dayfly`, or `kubectl dayfly`. */
export function programName(): string {
  return path.basename(process.argv[1] ?? '').startsWith('kubectl-dayfly') ? 'kubectl dayfly' : 'dayfly'
}

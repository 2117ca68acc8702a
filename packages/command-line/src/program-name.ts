// The name by which the operator started this program. Installed as `kubectl-dayfly`, it is a command of kubectl.
import path from 'node:path'

/** Returns `dayfly`, or `kubectl dayfly`. */
export function programName(): string {
  return started().startsWith('kubectl-dayfly') ? 'kubectl dayfly' : 'dayfly'
}

/** Returns the words that start a command: `dayfly doctor`, or `dayfly-doctor` in the program that has this command alone. */
export function commandName(command: string): string {
  const alone = `dayfly-${command}`
  return started().startsWith(alone) ? alone : `${programName()} ${command}`
}

function started(): string {
  return path.basename(process.argv[1] ?? '')
}

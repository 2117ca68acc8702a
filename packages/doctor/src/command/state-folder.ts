// The folder in which the doctor keeps the logs of repairs: https://specifications.freedesktop.org/basedir-spec/latest/
import path from 'node:path'

/** An XDG_STATE_HOME that is not absolute does not count. */
export function stateFolder(environment: NodeJS.ProcessEnv, home: string): string {
  const { XDG_STATE_HOME: given } = environment
  const base = given !== undefined && path.isAbsolute(given) ? given : path.join(home, '.local', 'state')
  return path.join(base, 'dayfly')
}

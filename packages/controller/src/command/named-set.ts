// The set that an operator names on the command line.
import { CliFailure } from '@dayfly/command-line/failure'
import { nearest } from '@dayfly/kit/nearest'
import { findSet } from '../operate/find-set.ts'
import type { SetView } from '../operate/set-view.ts'
import type { Opened } from './options.ts'
import { requireNamespace } from './require-namespace.ts'

/** Throws a CliFailure if there is no such set, or more than one. */
export async function namedSet(opened: Opened, given: string): Promise<SetView> {
  const name = given.replace(/^(?:set|runnerset|rset)\//, '')
  const found = await findSet(opened, opened.namespace, name)
  if (found.is === 'found') return found.view
  if (found.is === 'ambiguous') {
    const where = found.namespaces.join(', ')
    throw new CliFailure({
      code: 'set-ambiguous',
      sentence: `There is a set "${name}" in several namespaces: ${where}.`,
      next: 'Name one of them with -n.',
    })
  }
  if (found.names.length === 0) await requireNamespace(opened)
  throw new CliFailure({
    code: 'set-unknown',
    sentence: missingSentence(opened, name),
    next: nextOf(name, found.names),
  })
}

function missingSentence({ namespace }: Opened, name: string): string {
  return `There is no RunnerSet "${name}" in ${namespace === undefined ? 'this cluster' : `the namespace ${namespace}`}.`
}

function nextOf(name: string, names: readonly string[]): string {
  const guess = nearest(name, names)
  if (guess !== undefined) return `Did you mean "${guess}"?`
  return names.length === 0
    ? 'Name the namespace with -n, or search all with -A.'
    : `Choose one of: ${names.slice(0, 10).join(', ')}${names.length > 10 ? ', …' : ''}.`
}

// Makes the job that the page shows of the one that a forge names.
import { printableLine } from '@dayfly/kit/printable'
import type { NamedJob } from '@dayfly/runner-set/model/forge-event'
import { forgeTraits } from '@dayfly/runner-set/model/forge-traits'
import type { JobShown } from '../model/life.ts'
import type { SetFacts } from './set-facts.ts'

/** A user of the forge chooses these texts: a longer one is cut. */
const lengthMax = 200

/** @param facts undefined if the set is not described yet: then the job has no address */
export function jobShown({ id, name, repository, origin }: NamedJob, facts: SetFacts | undefined): JobShown {
  const run = cut(origin?.run)
  return {
    id: bounded(id),
    name: bounded(name),
    repository: bounded(repository),
    workflow: cut(origin?.workflow),
    ref: cut(origin?.ref),
    run,
    url: facts && run !== null ? runUrl(facts, repository, run) : null,
  }
}

/** A job whose end alone is known. */
export function unnamedJob(id: string): JobShown {
  return { id: bounded(id), name: '', repository: '', workflow: null, ref: null, run: null, url: null }
}

/** Combines two reports of one job: the older one fills what the newer one leaves open. */
export function completed(newer: JobShown, older: JobShown): JobShown {
  return {
    id: newer.id,
    name: newer.name || older.name,
    repository: newer.repository || older.repository,
    workflow: newer.workflow ?? older.workflow,
    ref: newer.ref ?? older.ref,
    run: newer.run ?? older.run,
    url: newer.url ?? older.url,
  }
}

/** `owner/name`, and no step up in an address. */
const repositoryForm = /^(?!\.+\/)[\w.-]+\/(?!\.+$)[\w.-]+$/

/** A repository or run of another form makes no address: it would lead elsewhere. */
function runUrl({ forge, url }: SetFacts, repository: string, run: string): string | null {
  const pages = forgeTraits[forge].runPages
  if (pages === undefined || !repositoryForm.test(repository) || !/^\d+$/.test(run)) return null
  if (!URL.canParse(url)) return null
  const { origin, protocol, pathname } = new URL(url)
  const server = pages === 'origin' ? origin : [origin, ...serverPath(pathname, repository)].join('/')
  return /^https?:$/.test(protocol) ? `${server}/${repository}/actions/runs/${run}` : null
}

/** Returns the parts of a set's path before its owner, or all: a set of the whole server has no owner there. */
function serverPath(pathname: string, repository: string): readonly string[] {
  const names = pathname.split('/').filter(Boolean)
  const [owner = ''] = repository.toLowerCase().split('/')
  const at = names.findLastIndex((name) => name.toLowerCase() === owner)
  return at < 0 ? names : names.slice(0, at)
}

function cut(text: string | undefined): string | null {
  return text === undefined || text === '' ? null : bounded(text)
}

/** Cuts a text from outside, and makes it safe to show on one line. */
export function bounded(text: string, most: number = lengthMax): string {
  return printableLine(text.slice(0, most))
}

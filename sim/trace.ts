// The events of one seed as lines in order: a digest for every run, and the lines themselves for a reader.
import { createHash } from 'node:crypto'
import type { World } from './world.ts'

export interface Trace {
  add(who: string, what: string): void
  /** Equal digests mean equal lines. */
  digest(): string
  readonly lines: readonly string[]
}

/** One call of the hash costs more than a line. */
const chunkLength = 65_536

/** @param keeps whether the lines are kept for a reader */
export function traceOf(world: World, keeps: boolean): Trace {
  const hash = createHash('sha256')
  let unhashed = ''
  const hashAll = () => {
    hash.update(unhashed)
    unhashed = ''
  }
  const lines: string[] = []
  const startedAt = world.clock.now()
  const show = (who: string, what: string) => {
    const line = `${((world.clock.now() - startedAt) / 1_000).toFixed(3).padStart(9)} ${who.padEnd(13)} ${what}`
    if (keeps) lines.push(line)
    return line
  }
  const add = (who: string, what: string) => {
    unhashed += show(who, what)
    if (unhashed.length > chunkLength) hashAll()
  }
  world.observers.written.add((identity, { event }) => {
    const { kind, ...rest } = event
    add(identity, `${kind} ${Object.values(rest).map(shown).join(' ')}`)
  })
  world.registry.subscribe('pods', ({ type, object: { metadata, status } }) => {
    const { phase = '' } = Object(status)
    const leaving = metadata.deletionTimestamp === undefined ? '' : ' leaving'
    add('cluster', `${type} pod ${metadata.namespace}/${metadata.name} ${phase}${leaving}`)
  })
  world.github.control.onJob(({ kind, name, runner = '-', result = '' }) =>
    add('github', `${name} ${kind} ${runner} ${result}`),
  )
  world.bitbucket.control.onStep(({ kind, name, runner = '-', result = '' }) =>
    add('bitbucket', `${name} ${kind} ${runner} ${result}`),
  )
  world.gitea.control.onJob(({ kind, name, runner = '-', result = '' }) =>
    add('gitea', `${name} ${kind} ${runner} ${result}`),
  )
  if (keeps) readRequests(world, show)
  const digest = () => {
    hashAll()
    return hash.copy().digest('hex').slice(0, 16)
  }
  return { add, lines, digest }
}

/** Shows the requests that a reader needs to follow a decision. They are no part of the digest. */
function readRequests({ observers }: World, show: (who: string, what: string) => void): void {
  observers.sent.add((identity, server, { method, path }) => {
    if (server === 'forge' || method !== 'GET' || path.includes('/pods')) show(identity, `→ ${method} ${path}`)
  })
  observers.answered.add((identity, server, { method, path }, { status }) => {
    if (server === 'forge' || method !== 'GET' || path.includes('/pods'))
      show(identity, `← ${status} ${method} ${path}`)
  })
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}

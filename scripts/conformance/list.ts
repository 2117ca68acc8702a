// The list of Kubernetes' conformance specs: those that the embedded cluster must pass, and the reason for each that is left out.
import { readFile } from 'node:fs/promises'

export type Spec = {
  readonly name: string
  /** The reason why the spec is left out. */
  readonly out?: string
  /** The specs of a lane run one after the other, because they use the same port or file of this machine. */
  readonly lane?: string
  /** Whether the spec runs after all others: it changes the node, counts all pods, or needs port 80. */
  readonly alone: boolean
}

const file = new URL('specs.txt', import.meta.url)

/** Reads the list. A line with `==` begins the specs that run, a lane of them, or those that are left out for this reason. */
export async function readList(): Promise<readonly Spec[]> {
  let kind: Omit<Spec, 'name'> = { alone: false }
  const specs: Spec[] = []
  for (const line of (await readFile(file, 'utf8')).split('\n')) {
    if (line.startsWith('== ')) kind = kindOf(line.slice(3))
    else if (line.startsWith('[')) specs.push({ name: line, ...kind })
  }
  return specs
}

function kindOf(section: string): Omit<Spec, 'name'> {
  if (section === 'run') return { alone: false }
  if (section === 'run alone') return { alone: true }
  const lane = /^run in order: (.+)$/.exec(section)?.[1]
  return lane === undefined ? { alone: false, out: section } : { alone: false, lane }
}

/** Throws if the list and the suite do not have the same specs, so that none is left out without a reason. */
export function checkComplete(list: readonly Spec[], suite: readonly string[]): void {
  const listed = new Set(list.map(({ name }) => name))
  const missing = suite.filter((name) => !listed.has(name))
  const unknown = [...listed].filter((name) => !suite.includes(name))
  if (listed.size !== list.length) throw new Error(`${file.pathname} lists a spec twice`)
  if (missing.length + unknown.length === 0) return
  throw new Error(
    `${file.pathname} does not list ${JSON.stringify(missing)}, and the suite does not have ${JSON.stringify(unknown)}`,
  )
}

// How a real node showed each failure. The page about troubleshooting quotes it. With DAYFLY_RECORD, a run of the tests writes the file again.
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'

const file = path.join(import.meta.dirname, 'seen-failures.json')

/** `sentence`: what the set shows. `seconds`: how long after its first evidence. */
type SeenFailure = { readonly reason: string; readonly seconds: number; readonly sentence: string }

/** The keys say what the test did to the runner. */
export const seenFailures: Readonly<Record<string, SeenFailure>> = JSON.parse(readFileSync(file, 'utf8'))

export function recordFailure(name: string, seen: SeenFailure): void {
  if (process.env['DAYFLY_RECORD'] === undefined) return
  const known = JSON.parse(readFileSync(file, 'utf8')) as typeof seenFailures
  const all = Object.entries({ ...known, [name]: seen }).sort(([left], [right]) => (left < right ? -1 : 1))
  writeFileSync(file, `${JSON.stringify(Object.fromEntries(all), null, 2)}\n`)
}

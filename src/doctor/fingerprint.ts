// Identifies a finding from one run to the next by its rule, object and container, never by its line.
import { createHash } from 'node:crypto'
import type { Finding } from './finding.ts'

/**
 * Returns 16 hexadecimal digits and a number for each finding. `…:2` is the second finding of a rule in one container of one object of one file.
 * `nameOf` returns a name of the file that does not depend on the working folder.
 */
export function fingerprints(findings: readonly Finding[], nameOf: (file: string) => string): readonly string[] {
  const counts = new Map<string, number>()
  return findings.map(({ rule, object, container, place }) => {
    const { apiVersion, kind, namespace, name } = object
    const words = [rule, place ? nameOf(place.file) : '', apiVersion, kind, namespace ?? '', name, container ?? '']
    const digest = createHash('sha256').update(words.join('\0')).digest('hex').slice(0, 16)
    const count = (counts.get(digest) ?? 0) + 1
    counts.set(digest, count)
    return `${digest}:${count}`
  })
}

// What a finding is known by from one run to the next: its rule, object and container, never its line.
import { createHash } from 'node:crypto'
import type { Finding } from './finding.ts'

/**
 * 16 hexadecimal digits and a number: `…:2` is the second finding of the same rule in the same container of the same object of the same file.
 * `nameOf` gives a file the name that it has wherever the doctor is run.
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

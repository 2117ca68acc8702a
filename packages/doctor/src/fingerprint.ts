// Identifies a finding from one run to the next by its rule, object, container and file name, never by its line or folder.
import { createHash } from 'node:crypto'
import type { Finding } from './finding.ts'

/** Returns 16 hexadecimal digits for a finding. Equal files in two folders have equal fingerprints, so a renamed folder changes none. */
export function fingerprint({ rule, object, container, place }: Finding): string {
  const { apiVersion, kind, namespace, name } = object
  const file = place ? baseName(place.file) : ''
  const words = [rule, file, apiVersion, kind, namespace ?? '', name, container ?? '']
  return createHash('sha256').update(words.join('\0')).digest('hex').slice(0, 16)
}

/** Returns the fingerprint of each finding with a number: `…:2` is the second finding with that fingerprint. */
export function fingerprints(findings: readonly Finding[]): readonly string[] {
  const counts = new Map<string, number>()
  return findings.map((finding) => {
    const digest = fingerprint(finding)
    const count = (counts.get(digest) ?? 0) + 1
    counts.set(digest, count)
    return `${digest}:${count}`
  })
}

function baseName(file: string): string {
  return file.slice(file.lastIndexOf('/') + 1)
}

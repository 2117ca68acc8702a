// Whole files as people write them, examined by every rule. A comment at the end of a line names exactly the rules that report it.
import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { decodeFiles, examine } from '../engine/examine.ts'
import type { VersionFact } from '../facts.ts'
import { fixFiles } from '../fix/fixes.ts'
import type { DecodedFile } from '../read/decode/document.ts'
import { catalogue } from '../rules/catalogue.ts'

const folder = new URL('.', import.meta.url)
const names = readdirSync(folder).filter((name) => /\.yaml(\.template)?$/.test(name))
const version: VersionFact = { minors: [33], declared: true, from: 'the test' }
const findingsOf = (files: readonly DecodedFile[]) => examine(files, catalogue, { version }).findings

test.each(names)('%s has exactly the findings in its comments', (name) => {
  const text = readFileSync(new URL(name, folder), 'utf8')
  const files = decodeFiles([{ path: name, text }])
  const { findings, coverage } = examine(files, catalogue)
  expect(findings.map(({ code, place }) => `${place?.line} ${code}`).sort()).toEqual(expectedIn(text))
  expect(coverage.skipped).toEqual([])
  expect(coverage.leftOut.map(({ reason }) => reason)).toEqual(
    name === 'kustomization.yaml' ? [expect.stringContaining('only a part')] : [],
  )
})

test.each(names)('%s, after all fixes, has only the errors that have no fix', (name) => {
  const text = readFileSync(new URL(name, folder), 'utf8')
  const { refused, files } = fixFiles(decodeFiles([{ path: name, text }]), findingsOf, () => true)
  expect(refused).toEqual([])
  expect(findingsOf(files).filter(({ fix }) => fix)).toEqual([])
  const left = findingsOf(files).flatMap(({ severity, code }) => (severity === 'error' ? [code] : []))
  expect(left).toEqual(byHand[name] ?? [])
})

/** Errors that only a person can correct. */
const byHand: Readonly<Record<string, readonly string[]>> = { 's3-hook.yaml': ['POD110'], 's4-oci.yaml': ['ARC404'] }

function expectedIn(text: string): string[] {
  return text
    .split('\n')
    .flatMap((line, index) => {
      const codes = /# ((?:[A-Z]{3}\d{3} ?)+)$/.exec(line)?.[1] ?? ''
      return codes.split(' ').flatMap((code) => (code === '' ? [] : [`${index + 1} ${code}`]))
    })
    .sort()
}

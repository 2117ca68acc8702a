// Runs each fixture of each rule: a bad block fires on its marked lines; without its hazard, fixed, or good, it has no finding.
import { readdirSync } from 'node:fs'
import { textAt, textsAt, timeAt, valueAt } from '@dayfly/kit/read-json'
import { parseRunnerSet } from '@dayfly/runner-set/config/runner-set'
import { describe, expect, test } from 'vitest'
import { decodeFiles, examine } from '../engine/examine.ts'
import { gatherFacts } from '../engine/gather-facts.ts'
import { runRules } from '../engine/run-rules.ts'
import type { Facts, ForgeFacts, LiveFacts, ObjectFact, VersionFact } from '../facts.ts'
import type { Hit } from '../finding.ts'
import { fixFiles } from '../fix/fixes.ts'
import type { DecodedFile } from '../read/decode/document.ts'
import { indexLines, placeOf } from '../read/yaml/place.ts'
import type { Rule } from '../rule.ts'
import { readRuleFixtures } from '../rule-fixtures.ts'
import type { Fixture } from '../rule-page.ts'
import { undeclaredVersion } from '../version-fact.ts'
import { catalogue } from './catalogue.ts'

const folder = new URL('.', import.meta.url)

test('the catalogue lists each rule of the folder once, in the order of the codes', () => {
  const files = readdirSync(folder).filter((name) => name.endsWith('.ts') && !/^(catalogue|.*\.test)\.ts$/.test(name))
  expect(catalogue.map((rule) => `${rule.slug}.ts`).sort()).toEqual(files.sort())
  const families = ['POD', 'JOB', 'LIV', 'ARC', 'FIN', 'SET']
  const order = catalogue.map(({ code }) => families.indexOf(code.slice(0, 3)) * 1000 + Number(code.slice(3)))
  expect(order).toEqual([...new Set(order)].sort((a, b) => a - b))
})

describe.each(catalogue.map((rule) => [rule.slug, rule] as const))('%s', (slug, rule) => {
  test.each(readRuleFixtures(slug).map((fixture) => [`${fixture.name}: ${fixture.kind}`, fixture] as const))(
    '%s',
    (_, fixture) => {
      const hits = check(rule, fixture, fixture.text)
      expect(hits.map(({ line }) => line)).toEqual(fixture.firesAt)
      for (const { hit } of hits) expect(hit.message).toMatch(/^\S.*\.$/s)
      if (fixture.kind === 'good') return
      expect(hits.length).toBeGreaterThan(0)
      const corrected = [fixture.withoutHazard, fixture.fixed].filter((text) => text !== undefined)
      expect(corrected.length, 'a bad block has a line with ~, or a fixed block after it').toBeGreaterThan(0)
      for (const text of corrected) expect(check(rule, fixture, text)).toEqual([])
      if (fixture.fixed === undefined) return
      expect(applyFixes(rule, fixture)).toEqual({ text: fixture.fixed, refused: [] })
    },
  )
})

type PlacedHit = { readonly line: number | undefined; readonly hit: Hit }

function check(rule: Rule, fixture: Fixture, text: string): PlacedHit[] {
  const decoded = decodeFiles([{ path: 'fixture.yaml', text }])
  expect(decoded.flatMap(({ skipped }) => skipped)).toEqual([])
  const objects = decoded.flatMap((file) => file.objects)
  const live = liveOf({ ...fixture, text })
  const facts: Facts = { ...gatherFacts(objects, versionOf(fixture)), live, readSet: parseRunnerSet }
  const { hits, skippedRules } = runRules(facts, [rule])
  if (fixture.kind === 'bad') expect(skippedRules).toEqual([])
  const lines = indexLines(text)
  return hits
    .map(({ hit }) => {
      const named = ({ value }: { readonly value: ObjectFact['raw'] }) =>
        value['kind'] === 'Registration' && textAt(value, 'metadata', 'name') === hit.object.name
      const object = objects.find(({ number }) => number === hit.document) ?? objects.find(named)
      return { line: object && placeOf(object, hit.path, lines).line, hit }
    })
    .sort((a, b) => (a.line ?? 0) - (b.line ?? 0))
}

function applyFixes(rule: Rule, fixture: Fixture): { readonly text: string | undefined; readonly refused: unknown[] } {
  const findingsOf = (files: readonly DecodedFile[]) => examine(files, [rule], { version: versionOf(fixture) }).findings
  const files = decodeFiles([{ path: 'fixture.yaml', text: fixture.text }])
  const { changed, refused } = fixFiles(files, findingsOf, () => true)
  return { text: changed[0]?.after.text, refused: refused.map(({ reason }) => reason) }
}

function versionOf({ options }: Fixture): VersionFact {
  const minors = options['kubernetes']?.split(',').map((version) => Number(version.split('.')[1]))
  return minors ? { minors, declared: true, from: 'fixture' } : undeclaredVersion
}

/** Returns the cluster that a fixture with the option `at` describes. */
function liveOf(fixture: Fixture): LiveFacts | undefined {
  const { options, earlier } = fixture
  if (options['at'] === undefined) return undefined
  const objects = (text: string): readonly ObjectFact[] =>
    gatherFacts(decodeFiles([{ path: 'earlier.yaml', text }]).flatMap((file) => file.objects)).objects
  return {
    at: Date.parse(options['at']),
    unreadable: Object.fromEntries(
      (options['unreadable'] ?? '').split(',').map((kind) => [kind, { is: 'failed', why: 'forbidden' }]),
    ),
    earlier: earlier && { at: Date.parse(earlier.options['at'] ?? ''), objects: objects(earlier.text) },
    forge: forgeOf(fixture),
    logs: logsOf(fixture),
    podGcThreshold: { value: Number(options['threshold'] ?? 12_500), assumed: options['threshold'] === undefined },
  }
}

/** Reads the ends of logs: in a fixture they are objects of kind Log, with the UID of their pod as name. */
function logsOf({ text }: Fixture): LiveFacts['logs'] {
  const logs = objectsIn(text, 'Log')
  const tails = logs.map((log) => [textAt(log, 'metadata', 'name') ?? '', textAt(log, 'spec', 'tail') ?? ''] as const)
  return logs.length === 0 ? undefined : { tails: new Map(tails), unread: 0 }
}

/** Reads what the account of the option `account` lists: in a fixture these are objects of kind Registration. */
function forgeOf({ options, text }: Fixture): ForgeFacts | undefined {
  if (options['account'] === undefined) return undefined
  const registrations = objectsIn(text, 'Registration').map((raw) => ({
    id: textAt(raw, 'spec', 'id') ?? '1',
    name: textAt(raw, 'metadata', 'name') ?? '',
    status: statusOf(textAt(raw, 'status', 'status')),
    busy: valueAt(raw, 'status', 'busy') === true,
    isCordoned: valueAt(raw, 'status', 'cordoned') === true,
    labels: textsAt(raw, 'spec', 'labels'),
    set: textAt(raw, 'spec', 'set'),
    createdAt: timeAt(raw, 'metadata', 'creationTimestamp'),
  }))
  return { url: options['account'], removal: 'refuses-busy', registrations, sets: [] }
}

function statusOf(text: string | undefined): 'online' | 'offline' | 'unknown' {
  return text === 'offline' || text === 'unknown' ? text : 'online'
}

function objectsIn(text: string, kind: string): readonly ObjectFact['raw'][] {
  const objects = decodeFiles([{ path: 'fixture.yaml', text }]).flatMap((file) => file.objects)
  return objects.flatMap(({ value }) => (value['kind'] === kind ? [value] : []))
}

// Every fix of every rule's page in every style of YAML: made exactly, or refused for a true reason.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { partOf } from '@dayfly/kit/full.fixture'
import type { Path } from '@dayfly/kit/read-json'
import { isJsonObject } from '@dayfly/kit/read-json'
import { describe, expect, test } from 'vitest'
import { decodeFiles, examine } from '../engine/examine.ts'
import type { VersionFact } from '../facts.ts'
import type { Finding } from '../finding.ts'
import type { DecodedFile } from '../read/decode/document.ts'
import { readRuleFixtures } from '../rule-fixtures.ts'
import type { Fixture } from '../rule-page.ts'
import { catalogue } from '../rules/catalogue.ts'
import { undeclaredVersion } from '../version-fact.ts'
import { fixFiles } from './fixes.ts'
import { diffLines, unifiedDiff } from './line-diff.ts'
import { share, sharings, styles } from './restyle.fixture.ts'

/** `rule`: undefined for all rules together. */
type Bad = {
  readonly name: string
  readonly rule: string | undefined
  readonly text: string
  readonly version: VersionFact
}
/** `plain`: the result for the text as written on the page. */
type Case = Bad & { readonly plain: ReturnType<typeof makeFixes> }

const pages = catalogue.flatMap(({ slug }) => {
  const inFiles = readRuleFixtures(slug).filter(({ options }) => options['at'] === undefined)
  return inFiles.map((fixture, index) => {
    return { name: `${slug} ${index + 1}`, rule: slug, text: fixture.text, version: versionOf(fixture) }
  })
})
const samples = [
  's0-zombie.yaml',
  's1-on-failure.yaml',
  's1-removed.yaml',
  's2-many-jobs.yaml',
  'arc-dind-ordinary.yaml',
  'arc-dind-values.yaml',
].map((name) => {
  const text = readFileSync(new URL(`../samples/${name}`, import.meta.url), 'utf8')
  return { name, rule: undefined, text, version: { minors: [33], declared: true, from: 'the test' } }
})
const cases = [...pages, ...samples].flatMap((one): Case[] => {
  const plain = makeFixes(one, one.text)
  return plain.applied.length > 0 ? [{ ...one, plain }] : []
})

describe.each(styles.map((style, at) => [style.name, style, at] as const))('%s', (_, style, at) => {
  const { write, refused, path, exact } = style
  test.each(partOf(cases, at).map((one) => [one.name, one] as const))('%s', (_, one) => {
    const after = expectFixed(one, { text: write(one.text), path }, refused ?? /^never$/)
    if (exact && after !== undefined) expect(after).toBe(write(one.plain.after))
  })
})

/** Sharing may affect only one of several fixes. */
const alone = cases.filter(({ plain }) => plain.applied.length === 1)

describe.each(sharings.map((how, at) => [how, at] as const))('%s', (how, at) => {
  test.each(partOf(alone, at).map((one) => [one.name, one] as const))('%s', (_, one) => {
    const texts = touched(one).flatMap(({ at, path }) => share(one.text, { at, path, how }) ?? [])
    if (!['merged', 'beside a merge'].includes(how)) expect(texts.length).toBeGreaterThan(0)
    for (const text of texts) expectFixed(one, { text }, /alias|anchor|merge key|does not read as intended/)
  })
})

/** One case for each kind of edit: a tool's result for a patch does not depend on the rule. */
const oneOfEachEdit = ['set', 'move', 'remove', 'carry'].map((edit) => {
  const found = cases.find(({ plain }) => plain.applied[0]?.fix?.edits.every((each) => each.do === edit))
  if (!found) throw new Error(`no rule's page has a fix by ${edit}`)
  return found
})

test.each(['git apply -', 'patch -s -p1'])('%s takes the patch of them all, in a folder of the repository', (tool) => {
  const root = mkdtempSync(path.join(tmpdir(), 'styles-'))
  try {
    const folder = path.join(root, 'a folder', 'ünï')
    execFileSync('git', ['init', '-q', root])
    const files = styles.flatMap(({ write, path: name = 'a.yaml' }, at) =>
      oneOfEachEdit.map((one) => {
        const before = write(one.text)
        return { name: `${at} b/${one.name}/${name}`, before, after: makeFixes(one, before, name).after }
      }),
    )
    for (const { name, before } of files) {
      mkdirSync(path.dirname(path.join(folder, name)), { recursive: true })
      writeFileSync(path.join(folder, name), before)
    }
    const patch = files.map(({ name, before, after }) => unifiedDiff(name, before, after)).join('')
    execFileSync('bash', ['-c', tool], { cwd: folder, input: patch, stdio: 'pipe' })
    for (const { name, after } of files) expect(readFileSync(path.join(folder, name), 'utf8'), name).toBe(after)
  } finally {
    rmSync(root, { recursive: true })
  }
})

type Written = { readonly text: string; readonly path?: string | undefined }

/** Expects the same result as in plain style, or no change and a true reason. Returns the fixed text if nothing is refused. */
function expectFixed(one: Case, { text, path }: Written, refused: RegExp): string | undefined {
  const { plain } = one
  const fixed = makeFixes(one, text, path)
  expect(fixed.before.map(identify).sort()).toEqual(plain.before.map(identify).sort())
  for (const reason of fixed.refused) expect(reason).toMatch(refused)
  if (fixed.applied.length === 0) {
    expect(fixed.refused.length).toBeGreaterThan(0)
    expect(fixed.after).toBe(text)
    return undefined
  }
  expect(ends(fixed.after)).toEqual(ends(text))
  expectCommentsKept(text, fixed.after)
  expect(applyFixes(one, decodeFiles([{ path: path ?? 'a.yaml', text: fixed.after }])).applied).toEqual([])
  if (fixed.refused.length > 0) return undefined
  expect(meanings(fixed.after, path)).toEqual(expectedMeanings({ text, path }, one.text, plain.after))
  // The value of an alias is not in the text.
  if (!text.includes('*x')) {
    expect(difference(words(text), words(fixed.after))).toEqual(difference(words(one.text), words(plain.after)))
    expect(reindented(one.text, plain.after)).toEqual(expect.arrayContaining(reindented(text, fixed.after)))
  }
  expect(fixed.left.map(identify).sort()).toEqual(plain.left.map(identify).sort())
  return fixed.after
}

/** Each existing part of the paths of the edits. */
function touched(one: Case): { readonly at: number; readonly path: Path }[] {
  const [finding] = one.plain.applied
  const found = new Map<string, { readonly at: number; readonly path: Path }>()
  for (const edit of finding?.fix?.edits ?? []) {
    const path = 'from' in edit ? edit.from : edit.path
    for (let length = 1; length <= path.length; length++) {
      found.set(path.slice(0, length).join(), { at: finding?.document ?? 0, path: path.slice(0, length) })
    }
  }
  return [...found.values()]
}

function makeFixes(bad: Bad, text: string, path = 'a.yaml') {
  const { version } = bad
  const findingsOf = (files: readonly DecodedFile[]) => examine(files, catalogue, { version }).findings
  const files = decodeFiles([{ path, text }])
  const result = applyFixes(bad, files)
  return {
    before: findingsOf(files),
    after: result.files[0]?.file.text ?? '',
    left: findingsOf(result.files),
    applied: result.applied,
    refused: result.refused.map(({ reason }) => reason),
  }
}

/** Runs only the rule of the case before each pass, because all rules take most of the time. */
function applyFixes({ rule, version }: Bad, files: readonly DecodedFile[]) {
  const rules = rule === undefined ? catalogue : catalogue.filter(({ slug }) => slug === rule)
  return fixFiles(
    files,
    (now) => examine(now, rules, { version }).findings,
    () => true,
  )
}

function versionOf({ options }: Fixture): VersionFact {
  const minors = options['kubernetes']?.split(',').map((version) => Number(version.split('.')[1]))
  return minors ? { minors, declared: true, from: 'fixture' } : undeclaredVersion
}

/** Names only the kind of an object, because templates change names. */
function identify({ code, object, container }: Finding): string {
  return `${code} ${object.kind} ${container ?? ''}`
}

/** The meaning of each object, without its name, which templates change, and without additions of a style. */
function meanings(text: string, path = 'a.yaml'): unknown[] {
  return decodeFiles([{ path, text }]).flatMap(({ objects }) => objects.map(({ value }) => normal(value)))
}

function expectedMeanings({ text, path }: Written, before: string, after: string): unknown[] {
  const olds = meanings(before).map((value) => JSON.stringify(value))
  const results = meanings(after)
  return meanings(text, path).map((value) => {
    const at = olds.indexOf(JSON.stringify(value))
    return at < 0 ? value : results[at]
  })
}

function normal(value: Readonly<Record<string, unknown>>): unknown {
  const { metadata, data, items, ...rest } = value
  const own = Object.entries(rest).filter(([key]) => !key.startsWith('x-'))
  const { name, ...other } = isJsonObject(metadata) ? metadata : { name: undefined }
  return Object.fromEntries([...own, ['metadata', other]])
}

function ends(text: string) {
  return {
    mark: text.startsWith('\uFEFF'),
    lineEnds: [...new Set(text.match(/\r?\n/g))],
    last: /[\r\n]*$/.exec(text)?.[0],
  }
}

/** Lines that differ only in their style. */
function reindented(before: string, after: string): string[] {
  const { gone, added } = differ(lines(before), lines(after))
  const now = new Set(added.map((line) => line.trim()))
  return gone.flatMap((line) => (now.has(line.trim()) ? words(line) : []))
}

/** No comment is lost outside a removed part, and each stays above its line. */
function expectCommentsKept(before: string, after: string): void {
  const inside = diffLines(before, after).flatMap(({ removed }) => comments(between(removed)))
  expect(differ(comments(before), comments(after)).gone.filter((comment) => !inside.includes(comment))).toEqual([])
  const kept = new Set(lines(after).map((line) => line.trim()))
  const parted = differ(commented(before), commented(after)).gone
  expect(parted.filter((pair) => kept.has(pair.replace(/^# \d+ /, '')))).toEqual([])
}

/** Comments of one line, with the line below where it begins at the same column. */
function commented(text: string): string[] {
  return [...text.matchAll(/^( *)(# \d+)\r?\n\1([^\s#{].*)/gm)].map(
    ([, , comment, line]) => `${comment} ${line?.trim()}`,
  )
}

/** Drops comments and blank lines at both ends. */
function between(removed: readonly string[]): string {
  const isCode = (line: string) => !/^\s*(?:#.*)?$/.test(line)
  return removed.slice(removed.findIndex(isCode), removed.findLastIndex(isCode) + 1).join('')
}

function comments(text: string): string[] {
  return lines(text).flatMap((line) => note.exec(line)?.[0].trim() ?? [])
}

function lines(text: string): string[] {
  return text.split(/\r?\n/)
}

/** Comments, and the statements of templates. */
const note = /(?:^|\s)(?:#|\{[%#]|<<: \*x$).*$/

/** Drops the parts that only styles change: quotes, brackets, dashes, headers of blocks, comments. */
function words(text: string): string[] {
  return lines(text).flatMap((line) => {
    const bare = line.replace(note, '').replace(/[|>][-+]?\s*$/, '')
    return bare.match(/[^\s"'{}[\],:]*[^\s"'{}[\],:-][^\s"'{}[\],:]*/g) ?? []
  })
}

function difference(before: readonly string[], after: readonly string[]): string[] {
  const { gone, added } = differ(before, after)
  return [...gone.map((word) => `-${word}`), ...added.map((word) => `+${word}`)].sort()
}

/** Returns the words that only one of the two has. */
function differ(before: readonly string[], after: readonly string[]) {
  const counts = new Map<string, number>()
  for (const one of after) counts.set(one, (counts.get(one) ?? 0) + 1)
  const gone = before.filter((one) => {
    const left = counts.get(one) ?? 0
    counts.set(one, left - 1)
    return left <= 0
  })
  return { gone, added: [...counts].flatMap(([one, left]) => Array.from({ length: Math.max(0, left) }, () => one)) }
}

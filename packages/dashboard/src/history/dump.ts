// The sums, failures and marks as plain values, for a file.
import type { Instant } from '@dayfly/kit/clock'
import type { FailureGroup, Mark } from '../model/life.ts'
import { Bucket, type Sums, sumNames } from './bucket.ts'
import type { Reach } from './counted-lives.ts'
import { fineMs, type Hours, hourMs } from './hours.ts'
import { arrayOf, fieldsOf, numberIn, readWords, textIn } from './kept-life.ts'

export type DumpParts = {
  readonly at: Instant
  readonly reach: Reach
  readonly failures: readonly FailureGroup[]
  readonly marks: readonly Mark[]
}

/**
 * Returns the text of the file. Most spans of time do not change any more, and keep their text: a store writes this every few
 * minutes, and must not hold up the controller.
 * @param number the number of the last life that the sums have
 */
export function dumpText({ number, at, reach, failures, marks }: DumpParts & { number: number }, hours: Hours): string {
  const head = JSON.stringify({ format: 1, number, at, ...reach, failures, marks }).slice(0, -1)
  const texts = (width: typeof fineMs | typeof hourMs) => hours.since(0, width).map(bucketText).join(',')
  return `${head},"fine":[${texts(fineMs)}],"hours":[${texts(hourMs)}]}`
}

/** Rows have no names of fields: they are most of the file. */
function bucketText(bucket: Bucket): string {
  const { at, queues, costs } = bucket
  bucket.text ??= JSON.stringify({
    at,
    queues: [...queues.values()].map(({ set, repository, waitingMs, longestMs, times }) => [
      set,
      repository,
      waitingMs,
      longestMs,
      times.cells(),
    ]),
    costs: [...costs.values()].map(({ set, repository, workflow, priceLabel, sums }) => [
      set,
      repository,
      workflow,
      priceLabel,
      sumNames.map((name) => sums[name]),
    ]),
  })
  return bucket.text
}

export type ReadDump = DumpParts & {
  readonly number: number
  readonly fine: readonly Bucket[]
  readonly hours: readonly Bucket[]
}

/** Returns undefined for a value that is no dump of this format. */
export function readDump(value: unknown): ReadDump | undefined {
  const fields = fieldsOf(value)
  const at = numberIn(fields, 'at')
  if (fields?.['format'] !== 1 || at === null) return undefined
  return {
    at,
    number: numberIn(fields, 'number') ?? 0,
    reach: { since: numberIn(fields, 'since'), countedUntil: numberIn(fields, 'countedUntil') },
    failures: arrayOf(fields['failures']).flatMap((one) => readGroup(one) ?? []),
    marks: arrayOf(fields['marks']).flatMap((one) => readMark(one) ?? []),
    fine: arrayOf(fields['fine']).flatMap((one) => readBucket(one) ?? []),
    hours: arrayOf(fields['hours']).flatMap((one) => readBucket(one) ?? []),
  }
}

function readBucket(value: unknown): Bucket | undefined {
  const fields = fieldsOf(value)
  const at = numberIn(fields, 'at')
  if (!fields || at === null) return undefined
  const bucket = new Bucket(at)
  for (const row of arrayOf(fields['queues'])) {
    const [set, repository, waitingMs, longestMs, cells] = arrayOf(row)
    if (typeof set !== 'string' || typeof repository !== 'string') continue
    const into = bucket.queueRow(set, repository)
    into.times.restore(arrayOf(cells).flatMap((cell) => pairOf(cell) ?? []))
    into.waitingMs += amountOf(waitingMs)
    into.longestMs = Math.max(into.longestMs, amountOf(longestMs))
  }
  for (const row of arrayOf(fields['costs'])) {
    const [set, repository, workflow, priceLabel, sums] = arrayOf(row)
    if (![set, repository, workflow, priceLabel].every((text) => typeof text === 'string')) continue
    const key = { set: `${set}`, repository: `${repository}`, workflow: `${workflow}`, priceLabel: `${priceLabel}` }
    bucket.restoreCosts(key, sumsOf(arrayOf(sums)))
  }
  return bucket
}

function sumsOf(values: readonly unknown[]): Sums {
  return Object.fromEntries(sumNames.map((name, index) => [name, amountOf(values[index])])) as Sums
}

function amountOf(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0
}

function pairOf(value: unknown): readonly (readonly [number, number])[] | undefined {
  const [cell, count] = arrayOf(value)
  return Number.isInteger(cell) && Number.isInteger(count) ? [[Number(cell), Number(count)]] : undefined
}

function readGroup(value: unknown): FailureGroup | undefined {
  const fields = fieldsOf(value)
  const words = readWords(value)
  const [id, set] = [textIn(fields, 'id'), textIn(fields, 'set')]
  const [count, firstAt, lastAt] = [numberIn(fields, 'count'), numberIn(fields, 'firstAt'), numberIn(fields, 'lastAt')]
  if (!words || id === null || set === null || count === null || firstAt === null || lastAt === null) return undefined
  return { ...words, id, set, count, firstAt, lastAt, runner: textIn(fields, 'runner') }
}

const markKinds: readonly Mark['kind'][] = [
  'controller',
  'set-added',
  'set-changed',
  'set-paused',
  'set-resumed',
  'set-removed',
  'forge',
]

function readMark(value: unknown): Mark | undefined {
  const fields = fieldsOf(value)
  const at = numberIn(fields, 'at')
  const kind = markKinds.find((one) => one === fields?.['kind'])
  const sentence = textIn(fields, 'sentence', 1_000)
  return at === null || !kind || sentence === null ? undefined : { at, kind, set: textIn(fields, 'set'), sentence }
}

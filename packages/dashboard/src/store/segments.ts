// The segments of a folder: the lives that ended, one a line, in files of one hour. A file or line that cannot be read is set aside, and loses nothing else.
import type { Instant } from '@dayfly/kit/clock'
import { timestamp } from '@dayfly/kit/timestamp'
import type { Followed } from '../history/followed.ts'
import { fieldsOf, numberIn, readFollowed } from '../history/kept-life.ts'
import type { FileSeen, Files } from './files.ts'

/** A stored life. The number grows, so that the dump can say which lives its sums have. */
export type Line = { readonly number: number; readonly life: Followed }

const hourMs = 3_600_000
const form = /^lives-(\d{4}-\d{2}-\d{2}T\d{2})-(\d+)\.jsonl$/

/** @param part distinguishes the segments of one hour */
export function segmentName(at: Instant, part: number): string {
  return `lives-${timestamp(at).slice(0, 13)}-${part}.jsonl`
}

export function lineText({ number, life }: Line): string {
  return `${JSON.stringify({ n: number, ...life })}\n`
}

/** Returns the segments, the oldest first. */
export function segmentsOf(files: readonly FileSeen[]): readonly FileSeen[] {
  const keyOf = ({ name }: FileSeen) => {
    const [, hour = '', part = ''] = form.exec(name) ?? []
    return `${hour} ${part.padStart(9, '0')}`
  }
  return files.filter(({ name }) => form.test(name)).sort((one, next) => (keyOf(one) < keyOf(next) ? -1 : 1))
}

/** Returns the segments that must go: the ones from before `oldest`, and the oldest of the others until the rest fits. */
export function surplusOf(segments: readonly FileSeen[], oldest: Instant, bytesMax: number): readonly string[] {
  let bytes = segments.reduce((sum, file) => sum + file.bytes, 0)
  return segments.flatMap(({ name, bytes: own }) => {
    const hour = Date.parse(`${form.exec(name)?.[1]}:00:00Z`)
    // A name with digits that are no date counts as old.
    if (hour + hourMs >= oldest && bytes <= bytesMax) return []
    bytes -= own
    return [name]
  })
}

export type ReadSegment = { readonly lines: readonly Line[]; readonly warning: string | undefined }

/** Reads a segment. A torn last line is normal after a crash. Any other line that cannot be read is set aside with a copy of the segment. */
export async function readSegment(files: Files, name: string): Promise<ReadSegment> {
  let text: string
  try {
    text = (await files.read(name)) ?? ''
  } catch (error) {
    await setAside(files, name)
    return { lines: [], warning: asideText(files, name, `it cannot be read (${messageOf(error)})`) }
  }
  const texts = text.split('\n')
  const isTorn = texts.at(-1) !== ''
  const read = texts.filter((line) => line !== '').map((line) => ({ line, value: readLine(line) }))
  const last = read.at(-1)
  const good = read.filter(({ value }) => value !== undefined)
  const broken = read.length - good.length - (isTorn && last && !last.value ? 1 : 0)
  const lines = good.flatMap(({ value }) => value ?? [])
  if (broken === 0 && !isTorn) return { lines, warning: undefined }
  const rest = good.map(({ line }) => `${line}\n`).join('')
  const warning = broken > 0 ? asideText(files, name, `${broken} of its lines cannot be read`) : undefined
  if (broken > 0) await setAside(files, name)
  // A folder that cannot be written is reported by the first write.
  await files.replace(name, rest).catch(() => undefined)
  return { lines, warning }
}

function readLine(text: string): Line | undefined {
  try {
    const value: unknown = JSON.parse(text)
    const [number, life] = [numberIn(fieldsOf(value), 'n'), readFollowed(value)]
    return number === null || !life ? undefined : { number, life }
  } catch {
    return undefined
  }
}

/** Keeps a file that cannot be read for the operator. */
export async function setAside(files: Files, name: string): Promise<void> {
  await files.rename(name, `${name}.broken`).catch(() => undefined)
}

export function asideText({ folder }: Files, name: string, why: string): string {
  return `The file ${name} in ${folder} was set aside as ${name}.broken: ${why}. The rest of the history was read. Delete the file when you do not need it.`
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

// `--fix`, `--diff`, `--check`: makes the requested fixes, shows them, or only counts them.
import { realpathSync } from 'node:fs'
import path from 'node:path'
import { CliFailure } from '@dayfly/command-line/failure'
import { printNote } from '@dayfly/command-line/output'
import { randomName } from '@dayfly/kit/ids'
import { systemRandom } from '@dayfly/kit/system'
import type { Finding } from '../finding.ts'
import { type FixResult, fixFiles } from '../fix/fixes.ts'
import { unifiedDiff } from '../fix/line-diff.ts'
import { replaceFile, type Unwritten } from '../fix/write-file.ts'
import type { DecodedFile } from '../read/decode/document.ts'
import { count, describeSafeFrom, fixesOf } from '../report/wording.ts'
import type { DoctorOptions } from './options.ts'
import { stdinName } from './sources.ts'

/** Makes the fixes in memory. `--diff` and `--check` alone mean the safe fixes. */
export function makeFixes(
  files: readonly DecodedFile[],
  findingsOf: (files: readonly DecodedFile[]) => readonly Finding[],
  { fix }: DoctorOptions,
): FixResult {
  return fixFiles(files, findingsOf, (finding) => fix === 'unsafe' || finding.fix?.safety === 'safe')
}

/** Returns one patch of all files, for `git apply`. */
export function patchOf({ changed }: FixResult): string {
  return changed.map(({ before, after }) => unifiedDiff(patchedName(before.path), before.text, after.text)).join('')
}

/** Returns the target of a link, because tools refuse to patch a link. */
function patchedName(file: string): string {
  if (file === stdinName) return file
  const target = path.relative(realpathSync('.'), realpathSync(file))
  const outside = target.startsWith('..') || path.isAbsolute(target)
  return outside ? file : target.split(path.sep).join('/')
}

/** Writes each file completely or not at all; input from stdin has no file. Throws after the last file, and names the unchanged ones. */
export async function writeFixes({ changed }: FixResult): Promise<void> {
  const failed: Failed[] = []
  const files = changed.filter(({ before }) => before.path !== stdinName)
  for (const { before, after } of files) {
    const texts = { before: before.text, after: after.text }
    const unwritten = await replaceFile(path.resolve(before.path), texts, randomName(systemRandom(), 8))
    if (unwritten) failed.push({ ...unwritten, file: before.path })
  }
  const [first, ...others] = failed.map(({ code, file, why, next }) => {
    return { code, sentence: `${file} was not changed: ${why}.`, next }
  })
  const written = files.length - failed.length
  if (written > 0 && first) printNote(`${count(written, 'file')} ${written === 1 ? 'was' : 'were'} changed`)
  if (first) throw new CliFailure({ ...first, others, exitCode: 1 })
}

type Failed = Unwritten & { readonly file: string }

/** `judged`: the findings whose fixes only --fix=unsafe makes. */
export function reportFixes(
  { changed, applied, refused }: FixResult,
  did: 'made' | 'found',
  judged: readonly Finding[],
): void {
  const number = applied.length
  const where = number > 0 ? ` in ${count(changed.length, 'file')}` : ''
  const { unsafe, safeFrom } = fixesOf(judged, { previews: new Map() })
  const more = unsafe > 0 ? `; ${unsafe} more with --fix=unsafe` : ''
  printNote(`${count(number, 'fix', 'fixes')} ${did}${where}${more}`)
  if (safeFrom) printNote(describeSafeFrom(safeFrom))
  for (const { finding, reason } of refused) {
    const at = finding.place ? `${finding.place.file}:${finding.place.line} ` : ''
    printNote(`refused: ${at}${finding.code} ${finding.rule}: ${reason}`)
  }
}

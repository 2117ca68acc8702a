// `--fix`, `--diff`, `--check`: makes the fixes that were asked for, shows them, or only says whether there are any.
import { realpathSync } from 'node:fs'
import path from 'node:path'
import type { Finding } from '../../doctor/finding.ts'
import { type FixResult, fixFiles } from '../../doctor/fixes/fixes.ts'
import { unifiedDiff } from '../../doctor/fixes/line-diff.ts'
import { replaceFile, type Unwritten } from '../../doctor/fixes/write-file.ts'
import { count } from '../../doctor/reporters/wording.ts'
import type { DecodedFile } from '../../doctor/sources/document.ts'
import { randomName } from '../../lib/ids.ts'
import { systemRandom } from '../../lib/system.ts'
import { CliFailure } from '../failure.ts'
import { printNote } from '../output.ts'
import type { DoctorOptions } from './options.ts'
import { stdinName } from './sources.ts'

/** `--diff` and `--check` alone mean the safe fixes. */
export function mend(
  files: readonly DecodedFile[],
  findingsOf: (files: readonly DecodedFile[]) => readonly Finding[],
  { fix }: DoctorOptions,
): FixResult {
  return fixFiles(files, findingsOf, (finding) => fix === 'unsafe' || finding.fix?.safety === 'safe')
}

/** One patch of all files, for `git apply`. */
export function patchOf({ changed }: FixResult): string {
  return changed.map(({ before, after }) => unifiedDiff(patchedName(before.path), before.text, after.text)).join('')
}

/** Of a link the file it leads to, as when it is written: tools refuse to patch a link. */
function patchedName(file: string): string {
  if (file === stdinName) return file
  const target = path.relative(realpathSync('.'), realpathSync(file))
  const outside = target.startsWith('..') || path.isAbsolute(target)
  return outside ? file : target.split(path.sep).join('/')
}

/** Writes each file at once or not at all; what stdin gave has no file. Throws after the last one, and names those that stay as they were. */
export async function write({ changed }: FixResult): Promise<void> {
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

/** `judged`: fixes that only --fix=unsafe makes. */
export function tellFixes({ changed, applied, refused }: FixResult, did: 'made' | 'found', judged: number): void {
  const number = applied.length
  const where = number > 0 ? ` in ${count(changed.length, 'file')}` : ''
  const more = judged > 0 ? `; ${judged} more with --fix=unsafe` : ''
  printNote(`${count(number, 'fix', 'fixes')} ${did}${where}${more}`)
  for (const { finding, reason } of refused) {
    const at = finding.place ? `${finding.place.file}:${finding.place.line} ` : ''
    printNote(`refused: ${at}${finding.code} ${finding.rule}: ${reason}`)
  }
}

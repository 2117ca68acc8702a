// `--fix`, `--diff`, `--check`: makes the fixes that were asked for, shows them, or only says whether there are any.
import path from 'node:path'
import type { Finding } from '../../doctor/finding.ts'
import { type FixResult, fixFiles } from '../../doctor/fixes.ts'
import { unifiedDiff } from '../../doctor/line-diff.ts'
import { count } from '../../doctor/reporters/wording.ts'
import type { DecodedFile } from '../../doctor/sources/document.ts'
import { replaceFile } from '../../doctor/write-file.ts'
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
  return changed.map(({ before, after }) => unifiedDiff(before.path, before.text, after.text)).join('')
}

/** Writes each file at once or not at all; what stdin gave has no file. */
export async function write({ changed }: FixResult): Promise<void> {
  const written: string[] = []
  for (const { before, after } of changed) {
    if (before.path === stdinName) continue
    try {
      await replaceFile(
        path.resolve(before.path),
        { before: before.text, after: after.text },
        randomName(systemRandom(), 8),
      )
      written.push(before.path)
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : 'unknown cause'
      throw new CliFailure({
        code: 'file-unwritable',
        sentence: `${before.path} was not changed: ${why}.`,
        next: `${count(written.length, 'file')} before it ${written.length === 1 ? 'is' : 'are'} mended; allow writing and run it again.`,
        exitCode: 1,
        cause,
      })
    }
  }
}

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

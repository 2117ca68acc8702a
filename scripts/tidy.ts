// Runs the checks that compiler and linter do not have: actions, sizes, names, documents, citations, plain English.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { checkActions } from './tidy/act.ts'
import { checkCitations } from './tidy/citations.ts'
import { checkArchitecture, checkHosts } from './tidy/documents.ts'
import { applyExceptions } from './tidy/exceptions.ts'
import { checkPlainEnglish } from './tidy/plain.ts'
import { checkShape } from './tidy/shape.ts'
import { readSource } from './tidy/source.ts'

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const exceptions = 'scripts/tidy-exceptions.txt'

const files = listFiles()
const texts = new Map(files.map((file) => [file, readFileSync(path.join(root, file), 'utf8')] as const))
for (const [file, text] of texts) if (text.includes('\0')) texts.delete(file)
const sources = [...texts].filter(([file]) => file.endsWith('.ts')).map(([file, text]) => readSource(file, text))

const findings = applyExceptions(
  [
    ...checkActions(sources),
    ...checkShape(sources),
    ...checkArchitecture({ files, texts }),
    ...checkHosts({ files, texts }),
    ...checkCitations({ files, texts }),
    ...checkPlainEnglish({ files, texts }),
  ],
  exceptions,
  texts.get(exceptions) ?? '',
)
for (const { path: file, line, rule, message } of findings)
  process.stdout.write(`${file}:${line} ${rule}: ${message}\n`)
process.stdout.write(`tidy: ${sources.length} sources, ${findings.length} findings\n`)
process.exitCode = findings.length > 0 ? 1 : 0

/** Returns the files that git tracks, and new files that it does not ignore. */
function listFiles(): string[] {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard']
  const listed = execFileSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })
  const names = new Set(listed.split('\0').filter((name) => name !== ''))
  return [...names].filter((name) => existsSync(path.join(root, name))).sort()
}

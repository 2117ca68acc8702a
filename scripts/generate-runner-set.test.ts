import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { parseRunnerSet } from '../src/config/runner-set.ts'
import { runnerSetSpecSchema } from '../src/config/spec-schema.ts'
import { runnerSetExample, runnerSetPage } from './runner-set-page.ts'

it('docs/runner-set.md is up to date: run "npx tsx scripts/generate-runner-set.ts"', () => {
  const committed = readFileSync(path.resolve(import.meta.dirname, '../docs/runner-set.md'), 'utf8')
  expect(committed).toBe(runnerSetPage())
})

it('shows a valid example that sets every field', () => {
  expect(parseRunnerSet(runnerSetExample)).toMatchObject({ ok: true })
  expect(runnerSetPage()).not.toContain('undefined')
})

it('gives each field a meaning, and each default a row', () => {
  const rows = runnerSetPage().match(/^\| `.*$/gm) ?? []
  expect(rows.map((row) => row.split(' | ')[3])).not.toContain('')
  const defaults = runnerSetSpecSchema.parse({ scale: { max: 1 } })
  for (const field of ['paused', 'docker', 'templateChecks', 'keepFinished', 'keepFailed'] as const) {
    expect(rows).toContainEqual(expect.stringMatching(`^\\| \`${field}\` \\| [^|]+ \\| \`${defaults[field]}\` \\|`))
  }
})

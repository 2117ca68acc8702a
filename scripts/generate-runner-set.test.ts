import { readFileSync } from 'node:fs'
import path from 'node:path'
import { parseRunnerSet } from '@dayfly/runner-set/config/runner-set'
import { runnerSetSpecSchema } from '@dayfly/runner-set/config/spec-schema'
import { expect, it } from 'vitest'
import {
  bitbucketExample,
  giteaExample,
  runnerSetExample,
  runnerSetJsonSchema,
  runnerSetPage,
} from './runner-set-page.ts'

it('docs/runner-set.md is up to date: run "npx tsx scripts/generate-runner-set.ts"', () => {
  expect(readFileSync(path.resolve(import.meta.dirname, '../docs/runner-set.md'), 'utf8')).toBe(runnerSetPage())
})

it('describes each field for editors, and refuses fields that do not exist', () => {
  const { properties } = JSON.parse(runnerSetJsonSchema())
  const { spec } = properties
  expect(spec).toMatchObject({ additionalProperties: false, required: ['scale'] })
  expect(Object.keys(spec.properties)).toEqual(Object.keys(runnerSetSpecSchema.shape))
  expect(spec.properties.keepFailed).toMatchObject({ default: '10m', description: expect.any(String) })
  expect(spec.properties.github.properties.ca.properties.key).toMatchObject({ default: 'ca.crt' })
  expect(runnerSetJsonSchema()).not.toContain('x-kubernetes')
})

it('shows valid examples that set every field', () => {
  expect(parseRunnerSet(bitbucketExample)).toMatchObject({ ok: true })
  expect(parseRunnerSet(giteaExample)).toMatchObject({ ok: true })
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

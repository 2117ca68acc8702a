import { readFileSync } from 'node:fs'
import path from 'node:path'
import { failures } from '@dayfly/runner-set/model/failure-table'
import { expect, it } from 'vitest'
import { troubleshootingPage } from './troubleshooting-page.ts'

const page = troubleshootingPage()

it('docs/guide/troubleshooting.md is up to date: run "npx tsx scripts/generate-troubleshooting.ts"', () => {
  const committed = readFileSync(path.resolve(import.meta.dirname, '../docs/guide/troubleshooting.md'), 'utf8')
  expect(committed).toBe(page)
})

it('has one section for each reason, with a sentence, what Dayfly does, the next step and commands', () => {
  const sections = page.split('\n### ').slice(1)
  expect(sections.map((section) => section.split('\n', 1)[0]).sort()).toEqual(Object.keys(failures).sort())
  for (const section of sections) {
    expect(section).toMatch(/^[a-z-]+\n\n[A-Z].*\.\n\n- \*\*Dayfly:\*\* It .+\.\n- \*\*Next step:\*\* .+/)
    expect(section).toMatch(/```sh\ndayfly explain/)
  }
  expect(page).not.toContain('undefined')
})

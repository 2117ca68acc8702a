import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { catalogue } from '../rules/catalogue.ts'
import { explainRule, fitPage, listRules } from './explain.ts'

const page = `# A rule

Some words that are more than fit into forty columns of a terminal.

- a point that is also longer than what fits into them
\`\`\`yaml
command: [sh, -c, 'a line of an example, which stays as it is']
\`\`\`
`

it('breaks prose between words and keeps examples unchanged', () => {
  expect(fitPage(page, 41)).toBe(`# A rule

Some words that are more than fit into
forty columns of a terminal.

- a point that is also longer than what
  fits into them
\`\`\`yaml
command: [sh, -c, 'a line of an example, which stays as it is']
\`\`\`
`)
  expect(fitPage(page, undefined)).toBe(page)
})

it('lists each rule on one line, or on two lines in a narrow terminal', () => {
  expect(listRules(undefined).split('\n')).toHaveLength(catalogue.length)
  const narrow = listRules(60).split('\n')
  expect(narrow.length).toBeGreaterThanOrEqual(catalogue.length * 2)
  for (const line of narrow) expect(line.length, line).toBeLessThan(60)
})

it.each([undefined, 80])('explains each rule in at most 70 lines, in a terminal of %s columns', (columns) => {
  const lengths = catalogue.map((rule) => {
    const source = readFileSync(new URL(`../rules/${rule.slug}.md`, import.meta.url), 'utf8')
    const lines = explainRule(rule, new Map([[rule.slug, source]]), columns).split('\n')
    expect(lines[0]).toBe(`# ${rule.code} ${rule.slug}`)
    return { rule: rule.slug, lines: lines.length }
  })
  expect(lengths.filter(({ lines }) => lines > 70)).toEqual([])
})

// The form of the rules' pages and of their case files.
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { caseFiles, readRuleFixtures } from '../rule-fixtures.ts'
import { pageSections, readRulePage } from '../rule-page.ts'
import { catalogue } from './catalogue.ts'

const folder = new URL('.', import.meta.url)
const slugs = catalogue.map(({ slug }) => slug)

test('each page and each folder of cases belongs to a rule', () => {
  const found = readdirSync(folder).filter((name) => name.endsWith('.md') || name.endsWith('.cases'))
  const pages = slugs.map((slug) => `${slug}.md`)
  const folders = slugs.filter((slug) => caseFiles(slug).length > 0).map((slug) => `${slug}.cases`)
  expect(found.sort()).toEqual([...pages, ...folders].sort())
})

describe.each(slugs)('%s', (slug) => {
  const text = readFileSync(new URL(`${slug}.md`, folder), 'utf8')
  const page = readRulePage(text)

  test('has a page of at most 60 lines with each section', () => {
    expect(text.split('\n').length - 1).toBeLessThanOrEqual(60)
    expect(page.title).toBe(slug)
    expect([...page.sections.keys()]).toEqual([...pageSections])
    expect([...page.sections.values()].filter((section) => section === '')).toEqual([])
    expect(page.sections.get('Links')).toMatch(/^(?:- https:\/\/\S+\n?)+$/)
  })

  test('has exactly one bad block and one good block on its page, each in its section', () => {
    expect(text.match(/^```.*$/gm)?.filter((line) => line !== '```')).toHaveLength(2)
    expect(page.fixtures.map(({ kind }) => kind)).toEqual(['bad', 'good'])
    expect(page.sections.get('Bad')).toContain('```yaml bad')
    expect(page.sections.get('Good')).toContain('```yaml good')
  })

  // A case file is named `<bad|good>-<what>.md`: a sentence that describes the case, then its blocks.
  test('has case files with one fixture each, of the kind that the name says', () => {
    const cases = readRuleFixtures(slug).filter(({ name }) => name !== 'page')
    expect(cases.map(({ name }) => `${name}.md`)).toEqual(caseFiles(slug))
    for (const { name, kind } of cases) expect(name).toMatch(new RegExp(`^${kind}(?:-[a-z0-9]+)+$`))
    for (const file of caseFiles(slug)) {
      const described = readFileSync(new URL(`${slug}.cases/${file}`, folder), 'utf8')
      expect(described, file).toMatch(/^[A-Z].*\.\n\n```yaml /)
    }
  })
})

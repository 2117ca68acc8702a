import { expect, it } from 'vitest'
import { catalogue } from '../../doctor/rules/catalogue.ts'
import { fitPage, listRules } from './explain.ts'

const page = `# A rule

Some words that are more than fit into forty columns of a terminal.

- a point that is also longer than what fits into them
\`\`\`yaml
command: [sh, -c, 'a line of an example, which stays as it is']
\`\`\`
`

it('breaks prose between words, and leaves examples as they are', () => {
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

it('lists each rule on a line, or on two where they are too narrow', () => {
  expect(listRules(undefined).split('\n')).toHaveLength(catalogue.length)
  const narrow = listRules(60).split('\n')
  expect(narrow.length).toBeGreaterThanOrEqual(catalogue.length * 2)
  for (const line of narrow) expect(line.length, line).toBeLessThan(60)
})

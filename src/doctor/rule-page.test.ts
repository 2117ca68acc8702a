// The pages as tests read them and as people do.
import { expect, test } from 'vitest'
import { readRulePage, withoutMarks } from './rule-page.ts'

const page = `# some-rule

## Bad
\`\`\`yaml bad kubernetes=1.33
a: 1 # ! ~ a: 2
# a comment
- b: 1 # ~ b: 2
- c: 1 # ~
d: 1 # a comment
\`\`\`
\`\`\`yaml fixed
a: 3
\`\`\`
`

test('marks say where a rule fires and what takes the place of the hazard', () => {
  expect(readRulePage(page).fixtures).toEqual([
    {
      kind: 'bad',
      text: 'a: 1\n# a comment\n- b: 1\n- c: 1\nd: 1 # a comment\n',
      firesAt: [1],
      cured: 'a: 2\n# a comment\n- b: 2\nd: 1 # a comment\n',
      fixed: 'a: 3\n',
      earlier: undefined,
      options: { kubernetes: '1.33' },
    },
  ])
})

test('people see an arrow, and no other mark', () => {
  expect(withoutMarks(page)).toBe(`# some-rule

## Bad
\`\`\`yaml
a: 1 # ← here
# a comment
- b: 1
- c: 1
d: 1 # a comment
\`\`\`
\`\`\`yaml
a: 3
\`\`\`
`)
})

test('a code block of another kind is a mistake', () => {
  expect(() => readRulePage('```yaml ugly\na: 1\n```\n')).toThrow(/neither bad/)
})

// A page as tests read it and as people read it.
import { expect, test } from 'vitest'
import { readFixtures, readRulePage, withoutMarks } from './rule-page.ts'

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

test('reads from the marks where a rule fires and what replaces the hazard', () => {
  expect(readRulePage(page).fixtures).toEqual([
    {
      kind: 'bad',
      text: 'a: 1\n# a comment\n- b: 1\n- c: 1\nd: 1 # a comment\n',
      firesAt: [1],
      withoutHazard: 'a: 2\n# a comment\n- b: 2\nd: 1 # a comment\n',
      fixed: 'a: 3\n',
      earlier: undefined,
      options: { kubernetes: '1.33' },
    },
  ])
})

test('shows people an arrow and no other mark', () => {
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

test('reads a block "good fixed" as a good fixture and as the fixed bad block before it', () => {
  const fixtures = readFixtures('```yaml bad\na: 1\n```\n```yaml good fixed kubernetes=1.33\na: 2\n```\n')
  expect(fixtures.map(({ kind, text, fixed, options }) => ({ kind, text, fixed, options }))).toEqual([
    { kind: 'bad', text: 'a: 1\n', fixed: 'a: 2\n', options: {} },
    { kind: 'good', text: 'a: 2\n', fixed: undefined, options: { kubernetes: '1.33' } },
  ])
})

test('refuses a code block of another kind', () => {
  expect(() => readRulePage('```yaml ugly\na: 1\n```\n')).toThrow(/neither bad/)
})

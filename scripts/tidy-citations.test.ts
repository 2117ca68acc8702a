import { describe, expect, test } from 'vitest'
import { checkCitations } from './tidy/citations.ts'
import { anchorsOf, linksOf } from './tidy/links.ts'

const page = `# One page

<a id="s9-2"></a>
## 9.2 The \`capacity\` header: what it means
`
const protocol = '| <a id="case-52"></a>52 | C |\n| <a id="case-70"></a>70 | E |\n'

function check(path: string, text: string) {
  const texts = new Map([
    ['README.md', '# Dayfly\n'],
    ['docs/page.md', page],
    ['docs/reference/scale-set-protocol.md', protocol],
    [path, text],
  ])
  return checkCitations({ files: [...texts.keys(), 'packages/kit/src/clock.ts', 'docs/picture.png'], texts })
}

describe('links', () => {
  test.each([
    ['[a](page.md)'],
    ['[a](page.md#s9-2)'],
    ['[a](page.md#92-the-capacity-header-what-it-means)'],
    ['[a](#here)\n\n## Here\n'],
    ['[a](../README.md) and [b](../packages/kit/src/)'],
    ['![a](picture.png "A picture")'],
    ['[a](https://example.com/gone.md#gone)'],
    ['`[a](gone.md)` and\n\n```md\n[a](gone.md)\n```\n'],
    ['[a]: page.md'],
  ])('%j resolves', (text) => {
    expect(check('docs/other.md', text)).toEqual([])
  })

  test.each([
    ['[a](gone.md)', '"docs/gone.md" does not exist'],
    ['[a](page.md#s9-3)', '"docs/page.md" has no anchor "#s9-3"'],
    ['[a](#there)', '"docs/other.md" has no anchor "#there"'],
    ['[a](../packages/kit/src/gone.ts)', '"packages/kit/src/gone.ts" does not exist'],
    ['[a]: gone.md', '"docs/gone.md" does not exist'],
    ['[`a`](gone.md)', '"docs/gone.md" does not exist'],
  ])('%j does not resolve', (text, fault) => {
    expect(check('docs/other.md', `# A\n${text}\n`)).toEqual([
      { rule: 'citation', path: 'docs/other.md', line: 2, message: `the link to ${fault}` },
    ])
  })

  test('a link knows its line', () => {
    expect(linksOf('a\n\nb [c](d.md)\n')).toEqual([{ target: 'd.md', line: 3 }])
  })

  test('equal headings get numbers, and headings in code blocks have no anchor', () => {
    expect([...anchorsOf('# A b\n\n## A b\n\n```sh\n# c\n```\n### [D](e.md) & `f`\n')]).toEqual([
      'a-b',
      'a-b-1',
      'd--f',
    ])
  })
})

describe('citations', () => {
  test.each([
    ['packages/kit/src/a.ts', '// Why: docs/page.md#s9-2.\n'],
    ['packages/kit/src/a.ts', '/** See README.md. */\n'],
    ['packages/kit/src/a.ts', "const a = 'docs/gone.md'\n"],
    ['packages/kit/src/a.ts', '// https://example.com/docs/gone.md\n'],
    ['packages/kit/src/a.cel', '// docs/page.md\n'],
    ['docs/other.md', 'See `docs/page.md#s9-2`.\n'],
  ])('%s: %j resolves', (path, text) => {
    expect(check(path, text)).toEqual([])
  })

  test.each([
    ['packages/kit/src/a.ts', 'const a = 1\n// Why: docs/gone.md\n'],
    ['packages/kit/src/a.ts', 'const a = 1 // docs/page.md\nconst b = 2 // docs/page.md#s1\n'],
    ['packages/kit/src/a.ts', '/**\n * See docs/page.md#s9-3.\n */\n'],
    ['packages/kit/src/a.cel', 'a\n// docs/gone.md\n'],
    ['docs/other.md', '# A\n`docs/gone.md`\n'],
  ])('%s: %j does not resolve', (path, text) => {
    expect(check(path, text)).toMatchObject([{ rule: 'citation', path, line: 2 }])
  })

  test.each([
    ['scale-set protocol 9.2'],
    ['scale-set\n// protocol 9'],
    ['the Kubernetes reference 4.2'],
    ['experiments 2'],
    ['Experiment 4'],
    ['ARC 5.2'],
    ['ARC 3)'],
    ['reference/typescript.md 1.4'],
    ['reference: kubernetes.md 1.2'],
    ['sketch: end-runner'],
    ['style guide 5.4'],
    ['design chapter 6'],
    ['the design'],
  ])('"%s" in a comment is a finding', (text) => {
    expect(check('packages/kit/src/a.ts', `// A fact (${text}).\n`)).toMatchObject([{ rule: 'citation', line: 1 }])
  })

  test.each([
    ["// GitHub's scale-set protocol, since ARC 0.14.2: a sketch by design.\n"],
    ["const a = 'the design'\n"],
    ['// docs/page.md has 3 experiments.\n'],
  ])('%j is free', (text) => {
    expect(check('packages/kit/src/a.ts', text)).toEqual([])
  })

  test('a link to a page of the reference is free', () => {
    const page = '[a](reference/scale-set-protocol.md#case-52)'
    expect(check('docs/other.md', page)).toEqual([])
    expect(check('docs/other.md', page.replace(/[[\]()]/g, ' '))).toHaveLength(1)
  })

  test('a page and a title are read as well', () => {
    expect(check('docs/other.md', 'By the design.\n')).toHaveLength(1)
    expect(check('packages/kit/src/a.test.ts', "it('follows design chapter 4', () => {})\n")).toHaveLength(1)
  })

  test.each([
    ["test('case 52: polls again', run)", []],
    ["test.each([\n  [1],\n])('cases 52 and 70: %s', run)", []],
    ["test('case 53: polls again', run)", ['case 53']],
    ["test.each(rows)('cases 52 and 71: %s', run)", ['case 71']],
    ["it('in case 53 happens', run)", []],
  ])('%j names listed cases', (text, missing) => {
    const messages = check('packages/kit/src/a.test.ts', `${text}\n`).map(({ message }) => message)
    expect(messages).toEqual(missing.map((name) => expect.stringContaining(name)))
  })
})

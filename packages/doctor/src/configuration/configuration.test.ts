import { describe, expect, it } from 'vitest'
import type { Finding } from '../finding.ts'
import { readConfiguration } from './configuration.ts'
import { judge, rulesByName } from './select.ts'

const names = rulesByName([
  { code: 'POD101', slug: 'dind-ordinary-container' },
  { code: 'POD114', slug: 'docker-root-unbounded' },
  { code: 'JOB201', slug: 'ttl-missing' },
])

function configure(text: string) {
  const read = readConfiguration(text, names)
  if ('problems' in read) throw new Error(JSON.stringify(read.problems))
  return read.configuration
}

function problems(text: string) {
  const read = readConfiguration(text, names)
  return 'problems' in read ? read.problems : []
}

describe('a configuration', () => {
  it.each(['', '# nothing yet\n', '{}'])('may be empty: %j', (text) => {
    expect(configure(text)).toEqual({})
  })

  it('has every documented key', () => {
    const text = `select: [POD, JOB201]
ignore: [docker-root-unbounded]
severity: { JOB201: info, POD: error }
exclude: ['vendor/**', examples]
failOn: error
baseline: .known.json
overrides: [{ paths: ['a/**'], ignore: [POD], severity: { JOB: info } }]
clusters: [{ name: prod, paths: [clusters/prod], kubernetesVersion: '1.30' }]
`
    expect(configure(text)).toMatchObject({ failOn: 'error', clusters: [{ kubernetesVersion: '1.30' }] })
  })

  it.each([
    ['selct: [POD]', 1, 1, 'the key "selct" is not known'],
    ['# x\nignore: [POD101, POD999]', 2, 18, 'the value "POD999" in ignore[1] is not known'],
    ['severity: { POD1O1: info }', 1, 13, 'the rule "POD1O1" in severity is not known'],
    ['severity:\n  POD101: warn', 2, 3, 'the value "warn" in severity.POD101 is not known'],
    ['failOn: never', 1, 1, 'the value "never" in failOn is not known'],
    ['overrides:\n- path: [a]', 2, 3, 'overrides[0].paths is missing'],
    ['overrides:\n- paths: [a]\n  ingore: []', 3, 3, 'the key "ingore" in overrides[0] is not known'],
    ['select: POD', 1, 1, 'select must be a list'],
    ['select: []', 1, 1, 'select must name at least one rule'],
    ['- a', 1, 1, 'the file must be a mapping'],
    ['exclude: [../x]', 1, 11, 'exclude[0] must be below the folder of this file'],
    ['exclude: [/x]', 1, 11, 'exclude[0] must be below the folder of this file'],
    ['exclude: ["[b-a]"]', 1, 11, 'exclude[0] is not a valid glob'],
    ['clusters: [{ name: a, paths: [a], kubernetesVersion: 1.30 }]', 1, 35, 'must be in quotes, such as "1.30"'],
    ['clusters: [{ name: a, paths: [a], kubernetesVersion: "1.99" }]', 1, 35, 'must be between "1.25" and "1.36"'],
    ['clusters: [{name: a, paths: [a]}, {name: a, paths: [b]}]', 1, 1, 'clusters must give each cluster its own name'],
    ['a: 1\na: 2', 2, 1, 'not valid YAML: Map keys must be unique'],
    ['a: [', 1, 5, 'not valid YAML'],
    ['a: 1\n---\nb: 2', 2, 1, 'not valid YAML'],
    ['a: *b', 1, 1, 'not valid YAML'],
  ])('is refused with a place and a sentence: %j', (text, line, column, sentence) => {
    expect(problems(text)).toContainEqual(
      expect.objectContaining({ line, column, sentence: expect.stringContaining(sentence) }),
    )
  })

  it('names the words that are known in the place of an unknown one', () => {
    const choices = (text: string) => problems(text)[0]?.unknown?.choices
    expect(choices('selct: [POD]')).toEqual(expect.arrayContaining(['select', 'failOn', 'clusters']))
    expect(choices('overrides: [{paths: [a], ingore: []}]')).toEqual(['paths', 'ignore', 'severity'])
    expect(choices('ignore: [POD999]')).toEqual(names)
    expect(choices('severity: {POD999: info}')).toEqual(names)
    expect(choices('failOn: never')).toEqual(['error', 'warning', 'info'])
  })

  it('cannot keep the doctor busy', () => {
    const bomb = [
      'a0: &a0 [x]',
      ...Array.from({ length: 30 }, (_, n) => `a${n + 1}: &a${n + 1} [*a${n},*a${n},*a${n}]`),
    ]
    expect(problems(bomb.join('\n'))[0]?.sentence).toMatch(/not valid YAML/)
    expect(problems(`# ${'x'.repeat(300_000)}`)[0]?.sentence).toMatch(/larger than/)
  })
})

describe('the judge', () => {
  const finding = (code: string, rule: string, file = 'a/x.yaml'): Finding => ({
    rule,
    code,
    severity: 'warning',
    confidence: 'high',
    object: { apiVersion: 'v1', kind: 'Pod', namespace: undefined, name: 'a' },
    container: undefined,
    message: '',
    place: { file, line: 1, column: 1, endLine: 1, endColumn: 2, start: 0, end: 1 },
    fix: undefined,
    document: 0,
    related: [],
  })
  const dind = (file?: string) => finding('POD101', 'dind-ordinary-container', file)
  const root = (file?: string) => finding('POD114', 'docker-root-unbounded', file)
  const ttl = (file?: string) => finding('JOB201', 'ttl-missing', file)
  const verdict = (text: string, one: Finding) => judge(configure(text), (file) => file)(one)?.severity

  it.each([
    ['select: [POD]', dind(), 'warning'],
    ['select: [POD]', ttl(), undefined],
    ['select: [ttl-missing]', ttl(), 'warning'],
    ['{ select: [POD], ignore: [POD114] }', root(), undefined],
    ['severity: { POD: info, POD101: error }', dind(), 'error'],
    ['severity: { POD: info, POD101: error }', root(), 'info'],
    ["overrides: [{ paths: ['a/**'], ignore: [JOB201] }]", ttl(), undefined],
    ["overrides: [{ paths: ['a/**'], ignore: [JOB201] }]", ttl('b/x.yaml'), 'warning'],
    ['overrides: [{ paths: [./a/], ignore: [JOB201] }]', ttl('a/b/c.yaml'), undefined],
    ['overrides: [{ paths: [a], ignore: [JOB201] }]', ttl('ab/c.yaml'), 'warning'],
    ["overrides: [{ paths: ['*.yaml'], ignore: [JOB201] }]", ttl('a/x.yaml'), 'warning'],
    ["overrides: [{ paths: ['**/*.yaml'], ignore: [JOB201] }]", ttl('x.yaml'), undefined],
    ['{ severity: { POD101: error }, overrides: [{ paths: [a], severity: { POD: info } }] }', dind(), 'info'],
    [
      'overrides: [{ paths: [a], severity: { POD: info } }, { paths: [a/x.yaml], severity: { POD: error } }]',
      dind(),
      'error',
    ],
  ])('%s', (text, one, severity) => {
    expect(verdict(text, one)).toBe(severity)
  })

  it('applies no override to a finding without a path', () => {
    const wishes = configure('overrides: [{ paths: ["**"], ignore: [POD] }]')
    expect(judge(wishes, () => undefined)(dind('<stdin>'))).toBeDefined()
    expect(judge(wishes, (file) => file)({ ...dind(), place: undefined })).toBeDefined()
  })
})

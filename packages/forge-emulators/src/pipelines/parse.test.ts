// The reader of bitbucket-pipelines.yml: what it reads, what it refuses and where, and hostile files.
import { describe, expect, test } from 'vitest'
import { pipelinesKind } from '../source/kind.ts'
import { SourceError } from '../source/problem.ts'
import { checkSource } from '../source/source.ts'
import { parsePipeline, readPipeline } from './parse.ts'

const read = (text: string, selector?: string) =>
  parsePipeline(checkSource('bitbucket-pipelines.yml', Buffer.from(text), pipelinesKind), selector)

/** Returns `code line:column sentence next` of each problem. */
function problemsOf(text: string, selector?: string): readonly string[] {
  try {
    read(text, selector)
  } catch (error) {
    if (!(error instanceof SourceError)) throw error
    return error.problems.map(
      ({ code, line, column, sentence, next }) => `${code} ${line}:${column} ${sentence} ${next}`,
    )
  }
  return []
}

const step = (more: string) => `pipelines:\n  default:\n    - step:\n        script: [make]\n        ${more}\n`

test('reads sequential steps, parallel groups and stages in the order of the file', () => {
  const { groups, notes } = read(`
image: node:20
options: { max-time: 15, size: 2x }
definitions:
  steps:
    - step: &unit
        name: unit
        runs-on: [self.hosted, linux, gpu]
        script: [npm test]
pipelines:
  default:
    - step:
        script:
          - echo one
          - |
            echo two
            echo three
          - true
        after-script: [echo "$BITBUCKET_EXIT_CODE"]
    - parallel:
        - step: *unit
        - step:
            <<: *unit
            name: slow
            max-time: 0.5
    - parallel:
        fail-fast: true
        steps:
          - step: { name: a, script: [make a] }
          - step: { name: b, script: [make b], fail-fast: false, runs-on: linux.arm64 }
    - stage:
        name: release
        steps:
          - step: { name: pack, script: [make pack], condition: { changesets: { includePaths: [src] } } }
          - step: { name: push, script: [make push] }
`)
  const shared = { maxTimeMinutes: 15, afterScript: [], failFast: false, runsOn: undefined }
  const labels = ['self.hosted', 'linux', 'gpu']
  expect(groups).toEqual([
    {
      parallel: false,
      stage: undefined,
      steps: [
        {
          ...shared,
          name: 'Step 1',
          script: ['echo one', 'echo two\necho three\n', 'true'],
          afterScript: ['echo "$BITBUCKET_EXIT_CODE"'],
        },
      ],
    },
    {
      parallel: true,
      stage: undefined,
      steps: [
        { ...shared, name: 'unit', runsOn: labels, script: ['npm test'] },
        { ...shared, name: 'slow', runsOn: labels, script: ['npm test'], maxTimeMinutes: 0.5 },
      ],
    },
    {
      parallel: true,
      stage: undefined,
      steps: [
        { ...shared, name: 'a', script: ['make a'], failFast: true },
        { ...shared, name: 'b', script: ['make b'], runsOn: ['linux.arm64'] },
      ],
    },
    { parallel: false, stage: 'release', steps: [{ ...shared, name: 'pack', script: ['make pack'] }] },
    { parallel: false, stage: 'release', steps: [{ ...shared, name: 'push', script: ['make push'] }] },
  ])
  expect(notes).toEqual([
    'Steps run on this machine, and not in the image of the file.',
    '`size` has no effect: a step has the memory and the processors of its runner.',
    'Steps with `condition.changesets` run always, because a local run has no changeset.',
  ])
})

test('a selector chooses the pipeline, and the others are not checked', () => {
  const text = `pipelines:
  default: [{ step: { script: [echo default], services: [docker] } }]
  branches: { 'feature/*': [{ step: { script: [echo branch] } }] }
  custom: { deploy: [{ step: { script: [echo custom] } }] }
  pull-requests: { '**': [{ step: { script: [echo pr] } }] }`
  const first = (selector: string) => read(text, selector).groups[0]?.steps[0]?.script[0]
  expect(['branches/feature/*', 'custom/deploy', 'pull-requests/**'].map(first)).toEqual([
    'echo branch',
    'echo custom',
    'echo pr',
  ])
  expect(problemsOf(text)).toEqual([expect.stringContaining('`pipelines.default[0].step.services` is not supported')])
  for (const selector of ['custom/none', 'default/deploy', 'custom', 'constructor/name', '']) {
    expect(problemsOf(text, selector)).toEqual([
      `pipelines-invalid 1:1 The file has no pipeline ${selector}. It has: default, branches/feature/*, custom/deploy, pull-requests/**. Choose one of these pipelines.`,
    ])
  }
})

test.each([
  [
    'caches: [node]',
    'pipelines-unsupported 5:9 `pipelines.default[0].step.caches` is not supported here. Remove `caches`',
  ],
  ['artifacts: [dist/**]', '`pipelines.default[0].step.artifacts` is not supported here. Write the files to a folder'],
  ['deployment: test', '`pipelines.default[0].step.deployment` is not supported here.'],
  ['trigger: manual', '`pipelines.default[0].step.trigger` is not supported here.'],
  ['scripts: [x]', '`pipelines.default[0].step.scripts` is not supported here. Remove it, or correct its spelling.'],
  ['toString: [x]', '`pipelines.default[0].step.toString` is not supported here. Remove it, or correct its spelling.'],
  ['condition: { state: A == b }', '`pipelines.default[0].step.condition.state` is not supported here.'],
  ['size: 3x', 'pipelines-invalid 5:9 `pipelines.default[0].step.size` is not a size. Write one of 1x'],
  ['max-time: 0', '`pipelines.default[0].step.max-time` is not a number of minutes up to 720.'],
  ['max-time: "5"', '`pipelines.default[0].step.max-time` is not a number of minutes'],
  ['runs-on: [Linux]', '`pipelines.default[0].step.runs-on` is not a list of labels.'],
  ['runs-on: []', '`pipelines.default[0].step.runs-on` is not a list of labels.'],
  ['fail-fast: sometimes', '`pipelines.default[0].step.fail-fast` is not true or false.'],
  ['image: {}', '`pipelines.default[0].step.image` has no name.'],
  [
    'after-script: [{ pipe: a/b:1 }]',
    '`pipelines.default[0].step.after-script[0].pipe` is not supported here. Write the pipe',
  ],
  ['after-script: [a: b]', '`pipelines.default[0].step.after-script[0]` is not a command.'],
  ['after-script: echo', '`pipelines.default[0].step.after-script` is not a list with entries.'],
  ['script: [other]', 'pipelines-syntax 5:9 This is not valid YAML: the key script is given twice.'],
])('refuses a step with %s by its path', (more, expected) => {
  expect(problemsOf(step(more))).toEqual([expect.stringContaining(expected)])
})

test.each([
  ['', 'The file has no pipelines.'],
  ['[]', 'The file has no pipelines.'],
  ['pipelines: {}', 'The file has no pipelines.'],
  ['pipelines: { default: [] }', '`pipelines.default` is not a list with entries.'],
  ['pipelines: { default: { step: {} } }', '`pipelines.default` is not a list with entries.'],
  ['pipelines: { default: [null] }', '`pipelines.default[0]` is not a step.'],
  ['pipelines: { default: [{ step: null }] }', '`pipelines.default[0].step.script` is not a list with entries.'],
  [
    'pipelines: { default: [{ parallel: [{ stage: {} }] }] }',
    '`pipelines.default[0].parallel[0].stage` is not supported here.',
  ],
  [
    'pipelines: { default: [{ stage: { steps: [{ parallel: [] }] } }] }',
    '`pipelines.default[0].stage.steps[0].parallel` is not',
  ],
  ['pipelines: { default: [{ variables: [] }] }', '`pipelines.default[0].variables` is not supported here.'],
  ['a: &a text\npipelines: { <<: *a }', 'An alias cannot be merged'],
  [
    'definitions: { services: {} }\npipelines: { default: [{ step: { script: [a] } }] }',
    '`definitions.services` is not',
  ],
  ['clone: { depth: 1 }\npipelines: { default: [{ step: { script: [a] } }] }', '`clone` is not supported here.'],
  ['pipelines: { ? [a, b] : c }', 'a key is not a text'],
  ['pipelines: { default: [{ step: { script: [*none] } }] }', 'there is no anchor named none'],
])('refuses %j', (text, expected) => {
  expect(problemsOf(text).join('\n')).toContain(expected)
})

test('refuses more steps than Bitbucket has in a pipeline', () => {
  const steps = (count: number) => `pipelines: { default: [${'{ step: { script: [a] } },'.repeat(count)}] }`
  expect(problemsOf(steps(100))).toEqual([])
  expect(problemsOf(steps(101))).toEqual([expect.stringContaining('has 101 steps, and a pipeline has at most 100.')])
})

test('refuses a file that does not exist with an example', async () => {
  await expect(readPipeline('none.yml')).rejects.toThrow('for example bitbucket-pipelines.yml')
})

describe('hostile files are refused within two seconds', () => {
  const levels = Array.from({ length: 30 }, (_, n) => `a${n + 1}: &a${n + 1} [${`*a${n},`.repeat(6)}]`).join('\n')
  const merged = Array.from({ length: 30 }, (_, n) => `m${n + 1}: &m${n + 1} { x${n}: [*m${n}, *m${n}], <<: *m${n} }`)
  test.each([
    ['an alias bomb', `a0: &a0 [x]\n${levels}`],
    ['a bomb of merged mappings', `m0: &m0 { a: b }\n${merged.join('\n')}`],
    ['an alias inside its own anchor', 'pipelines: &p { default: *p }'],
    ['deep nesting', '['.repeat(100_000)],
    ['many keys in one mapping', Array.from({ length: 19_000 }, (_, n) => `k${n}: 1`).join('\n')],
    ['bytes that are not text', 'pipelines: \0'],
  ])('%s', (_, text) => {
    expect(problemsOf(text).length).toBeGreaterThan(0)
  })
})

import { describe, expect, it } from 'vitest'
import { parseRunnerSet } from './runner-set.ts'

const github = { url: 'https://github.com/acme', credentials: { secret: 'forge' } }
const gitea = { ...github, url: 'https://git.example.com' }
const scale = { max: 3 }

/** Returns the problems of a set with this spec, each with its path. */
function problemsOf(spec: unknown): readonly string[] {
  const parsed = parseRunnerSet({ metadata: { name: 'linux', namespace: 'ci' }, spec })
  return parsed.ok ? [] : parsed.problems.map(({ path, sentence }) => `${path}: ${sentence}`)
}

describe('the words for a wrong field', () => {
  it.each<[sentence: string, spec: object]>([
    ['spec.scale: the field is missing', { github }],
    ['spec.scale.max: the field is missing', { github, scale: {} }],
    ['spec.scale.max: the value must be a number, and is the text "many"', { github, scale: { max: 'many' } }],
    [
      'spec.scale.max: the value must be a number, and is the text "3": remove the quotes',
      { github, scale: { max: '3' } },
    ],
    ['spec.scale.max: the value must be a whole number, and is 1.5', { github, scale: { max: 1.5 } }],
    ['spec.scale.max: the value must be at least 0', { github, scale: { max: -1 } }],
    ['spec.scale.max: the value must be a number, and is null', { github, scale: { max: null } }],
    ['spec.scale: the value must be a mapping, and is a list', { github, scale: [] }],
    [
      'spec.github.labels: the value must be a list, and is the text "gpu"',
      { github: { ...github, labels: 'gpu' }, scale },
    ],
    [
      'spec.paused: the value must be true or false, and is the text "true": remove the quotes',
      { github, scale, paused: 'true' },
    ],
    ['spec.paused: the value must be true or false, and is the text "yes"', { github, scale, paused: 'yes' }],
    ['spec.docker: the value must be one of none, sidecar, rootless', { github, scale, docker: 'dind' }],
    [
      'spec.docker: the value must be one of none, sidecar, rootless, perhaps you mean sidecar',
      { github, scale, docker: 'side-car' },
    ],
    [
      'spec.github: "lables" is not a field here, perhaps you mean labels',
      { github: { ...github, lables: [] }, scale },
    ],
    ['spec: "resources" is not a field here', { github, scale, resources: {} }],
    [
      'spec.keepFailed: the duration must be whole numbers with units, for example 90s, 10m or 1h30m',
      { github, scale, keepFailed: '1 day' },
    ],
    [
      'spec.idleMax: the duration must be whole numbers with units, for example 90s, 10m or 1h30m',
      { github, scale, idleMax: 600 },
    ],
    [
      'spec.template.metadata.annotations.safe: the value must be a text, and is true: write it in quotes',
      { github, scale, template: { metadata: { annotations: { safe: true } } } },
    ],
    [
      'spec.scale.schedule.0.from: the value must be a text, and is 540: write it in quotes',
      { github, scale: { ...scale, schedule: [{ from: 540, to: '17:00', min: 1 }] } },
    ],
    ['spec.scale.schedule: the list may not be empty', { github, scale: { ...scale, schedule: [] } }],
    ['spec.github.url: the text may not be empty', { github: { ...github, url: '' }, scale }],
    [
      'spec.gitea.labels.0: a label of Gitea may not have spaces, ":" or ",": the image of the jobs is jobImage',
      { gitea: { ...gitea, labels: ['ubuntu:docker://node:20'] }, scale },
    ],
    [
      'spec.sizes.0.resources.limits.cpu: the amount must be like 2, 500m or 2Gi',
      { github, scale, sizes: [{ name: 'big', resources: { limits: { cpu: 1.5 } } }] },
    ],
    [
      'spec.sizes.0.name: the text may have at most 20 characters',
      { github, scale, sizes: [{ name: 'a'.repeat(21) }] },
    ],
  ])('%s', (sentence, spec) => {
    expect(problemsOf(spec)).toContain(sentence)
  })

  it('names five of many unknown fields, and cuts a long name', () => {
    const unknown = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`${index}${'x'.repeat(500)}`, 1]))
    const [problem = ''] = problemsOf({ github, scale, ...unknown })
    expect(problem.length).toBeLessThan(700)
    expect(problem).toContain('; 995 more are not, either')
  })
})

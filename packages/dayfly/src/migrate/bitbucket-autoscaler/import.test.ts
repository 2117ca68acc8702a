// The rows T01 to T13 of the official tool's job template, names, and values that the conversion must not change.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { writeYaml } from '../write-yaml.ts'
import { type Mode, readConfiguration } from './configuration.ts'
import { type ImportRequest, importAutoscaler } from './import.ts'
import { compileJobTemplate } from './job-template.ts'
import { isMapping, type Mapping, plainOf, type Value } from './yaml/value.ts'

const samples = path.resolve(import.meta.dirname, '../../../../../test/dayfly/migrate/bitbucket-autoscaler')
const sample = (name: string, file: string) => readFileSync(path.join(samples, name, file), 'utf8')
const configuration = (name: string) => sample(name, 'runners_config.yaml')
const template = (name: string) => sample(name, 'job.yaml.template')

/** A small pod with the parts that the conversion compares with. The end-to-end test uses Dayfly's own. */
const defaultSpec = {
  containers: [{ name: 'runner', image: 'runner', env: [{ name: 'WORKING_DIRECTORY', value: '/work' }] }],
  initContainers: [{ name: 'docker', image: 'docker', args: ['dockerd', '--host=unix:///own.sock'] }],
}

function request(over: Partial<ImportRequest> = {}): ImportRequest {
  return {
    configuration: configuration('official-workspace'),
    template: template('official-workspace'),
    mode: 'corrected',
    strategy: 'percentage',
    defaultSpec,
    ...over,
  }
}

function imported(over: Partial<ImportRequest> = {}) {
  const result = importAutoscaler(request(over))
  if (!result.ok) throw new Error(JSON.stringify(result.problems))
  return result
}

function problems(over: Partial<ImportRequest>): readonly string[] {
  const result = importAutoscaler(request(over))
  return result.ok ? [] : result.problems.map(({ file, path: at, sentence }) => `${file} ${at}: ${sentence}`)
}

function render(name: string, text: string, mode: Mode = 'strict') {
  const read = readConfiguration(configuration(name), mode)
  if (!read.ok) throw new Error(JSON.stringify(read.problems))
  return compileJobTemplate(text, mode)(read.configuration.groups[0]!)
}

function rendered(name: string, text = template(name), mode: Mode = 'strict') {
  const read = render(name, text, mode)
  if (!read.ok) throw new Error(JSON.stringify(read.problems))
  return read.template
}

/** Returns the value at a path of keys and indexes. */
function at(value: Value | undefined, ...way: readonly (string | number)[]): Value | undefined {
  return way.reduce<Value | undefined>((inner, key) => {
    if (typeof key === 'number') return Array.isArray(inner) ? (inner[key] as Value) : undefined
    return isMapping(inner) ? inner.get(key) : undefined
  }, value)
}

const pod = ({ job }: { readonly job: { readonly value: Mapping } }) => at(job.value, 'spec', 'template')
const variables = (job: Parameters<typeof pod>[0]) =>
  plainOf(at(pod(job), 'spec', 'containers', 0, 'env') ?? null) as readonly Readonly<Record<string, unknown>>[]
const uuid = 'aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa'

describe('the strict rendering of a job template', () => {
  it('T01: has no REPOSITORY_UUID and no label repository_uuid for a group of a workspace', () => {
    const template = rendered('official-workspace')
    expect(variables(template).map(({ name }) => name)).not.toContain('REPOSITORY_UUID')
    expect(at(pod(template), 'metadata', 'labels', 'repository_uuid')).toBeUndefined()
    expect(at(template.secret.value, 'metadata', 'labels', 'repository_uuid')).toBeUndefined()
  })

  it('T02: has both for a group of a repository, the variable with braces and the label without', () => {
    const template = rendered('official-repository')
    expect(variables(template)).toContainEqual({ name: 'REPOSITORY_UUID', value: `{${uuid}}` })
    expect(at(pod(template), 'metadata', 'labels', 'repository_uuid')).toBe(uuid)
  })

  it('T03: has the UUID without braces in the names', () => {
    const template = rendered('official-workspace')
    expect(at(template.job.value, 'metadata', 'name')).toBe(`runner-${uuid}`)
    expect(at(template.secret.value, 'metadata', 'name')).toBe(`runner-oauth-credentials-${uuid}`)
  })

  it('T04: rejects a Secret or a pod without the label runner_namespace', () => {
    const without = template('official-workspace').replaceAll(/ *runner_namespace: .*\n/g, '')
    expect(render('official-workspace', without)).toMatchObject({
      ok: false,
      problems: [
        { path: 'items[0].metadata.labels.runner_namespace' },
        { path: 'items[1].spec.template.metadata.labels.runner_namespace' },
      ],
    })
  })

  it('T06: rejects an integer as the value of a label', () => {
    const number = template('official-workspace').replace('customer: shared', 'customer: 12')
    expect(render('official-workspace', number)).toMatchObject({
      ok: false,
      problems: [{ path: 'items[1].spec.template.metadata.labels.customer' }],
    })
  })

  it('T07: names the kind of a third item that is neither a Secret nor a Job', () => {
    const third = `${template('official-workspace')}  - apiVersion: v1\n    kind: ConfigMap\n    metadata: {name: x}\n`
    for (const mode of ['strict', 'corrected'] as const) {
      expect(render('official-workspace', third, mode)).toMatchObject({
        ok: false,
        problems: [
          { path: 'items[2]', sentence: expect.stringMatching(/of the kind ConfigMap, .*Apply it once by itself/) },
        ],
      })
    }
  })

  it('T09: omits the node selector without one, and has a line for each key with one', () => {
    const text = template('arm64-node-selector')
    expect(at(pod(rendered('arm64-node-selector', text, 'corrected')), 'spec', 'nodeSelector')).toBeUndefined()
    const read = readConfiguration(configuration('arm64-node-selector'), 'corrected')
    const group = read.ok ? read.configuration.groups[1]! : expect.fail()
    const one = compileJobTemplate(text, 'corrected')(group)
    expect(one.ok && plainOf(at(pod(one.template), 'spec', 'nodeSelector')!)).toEqual({
      'karpenter.sh/nodepool': 'ci-arm',
      'team/pool': 'on',
    })
  })

  it('T10: passes Docker as an init container with restartPolicy Always and a TTL through', () => {
    const template = rendered('init-sidecar')
    expect(at(pod(template), 'spec', 'initContainers', 1, 'restartPolicy')).toBe('Always')
    expect(at(template.job.value, 'spec', 'ttlSecondsAfterFinished')).toBe(600n)
  })

  it('T11: passes volumes without a source through', () => {
    expect(plainOf(at(pod(rendered('official-workspace')), 'spec', 'volumes')!)).toEqual([
      { name: 'tmp' },
      { name: 'docker-containers' },
      { name: 'var-run' },
    ])
  })

  it('T12: reads the mode 0644 as 420', () => {
    expect(at(pod(rendered('registry-mirrors')), 'spec', 'volumes', 3, 'configMap', 'defaultMode')).toBe(420n)
  })

  it('T13: rejects a Job before its Secret, and the corrected reading finds both by their kind', () => {
    const [head = '', secret = '', job = ''] = template('official-workspace').split(/(?=^ {2}- apiVersion)/m)
    const swapped = `${head}${job}${secret}`
    expect(render('official-workspace', swapped)).toMatchObject({
      ok: false,
      problems: [{ path: 'items[0]' }, { path: 'items[1]' }],
    })
    const one = rendered('official-workspace', swapped, 'corrected')
    expect([one.job.path, one.secret.path]).toEqual(['items[0]', 'items[1]'])
    expect(imported({ template: swapped }).sets[0]?.document).toEqual(imported().sets[0]?.document)
  })

  it.each([
    ['kind: List', /has no items/],
    ['items: []', /has no Secret/],
    ['a: <% b', /Line 1 of the template: a tag has no end/],
    ['a: [', /not valid YAML/],
    ['- a', /renders no List/],
    ['items: [{kind: 5}]', /without a kind/],
  ])('rejects the template %j', (text, sentence) => {
    expect(problems({ template: text })).toEqual([expect.stringMatching(sentence)])
  })
})

describe('the conversion', () => {
  const specOf = (over: Partial<ImportRequest>) => imported(over).sets.map(({ document }) => document.spec)
  const config = (name: string, change: (text: string) => string = (text) => text) => change(configuration(name))

  it('gives each group a valid and unique name', () => {
    const names = (...groups: readonly string[]) => {
      const labels = (index: number) => `labels: [l${index}]`
      const text = configuration('official-workspace')
      const head = text.slice(0, text.indexOf('  - name'))
      const group = text.slice(text.indexOf('  - name'))
      const all = groups.map((name, index) =>
        group.replace('"Runner group 1"', JSON.stringify(name)).replace(/labels:\n.*\n/, `${labels(index)}\n`),
      )
      return imported({ configuration: `${head}${all.join('')}` }).sets.map(({ document }) => document.metadata.name)
    }
    expect(names('A b', 'a-b', 'a.b', '🚀', '', '--')).toEqual([
      'a-b',
      'a-b-2',
      'a-b-3',
      'runners',
      'runners-2',
      'runners-3',
    ])
    const [one, two] = names('x'.repeat(80), 'x'.repeat(70))
    expect([one, two]).toEqual(['x'.repeat(63), `${'x'.repeat(61)}-2`])
  })

  it('writes the percentage strategy with the same numbers, or idle runners with a report of the numbers', () => {
    expect(specOf({})[0]?.['scale']).toEqual({
      min: 1,
      max: 10,
      percentageRunnersIdle: {
        scaleUpThreshold: 0.5,
        scaleDownThreshold: 0.2,
        scaleUpMultiplier: 1.5,
        scaleDownMultiplier: 0.5,
        coolDown: '300s',
      },
    })
    const strategy = imported({}).sets[0]!.lines.find(({ path: place }) => place === 'groups[0].strategy')
    expect(strategy).toMatchObject({ is: 'changed', sentence: expect.stringContaining('never exceeds max') })
    const spares = imported({ strategy: 'idle-spares' }).sets[0]!
    expect(spares.document.spec['scale']).toEqual({ min: 1, max: 10 })
    const line = spares.lines.find(({ path: place }) => place === 'groups[0].parameters.scale_up_multiplier')
    expect(line).toMatchObject({ is: 'dropped', sentence: expect.stringContaining('scale_up_multiplier is 1.5') })
  })

  it.each([
    ['min: 0', 'max: 10', { min: 1, max: 10 }],
    ['min: 20', 'max: 10', { min: 10, max: 10 }],
    ['min: -1', 'max: 0', { min: 0, max: 0 }],
    ['min: 1', 'max: -5', { min: 0, max: 0 }],
  ])('turns %s and %s into bounds that a RunnerSet has', (min, max, bounds) => {
    const text = config('official-workspace', (one) => one.replace('min: 1', min).replace('max: 10', max))
    expect(specOf({ configuration: text, strategy: 'idle-spares' })[0]?.['scale']).toEqual(bounds)
  })

  it('brings thresholds that no RunnerSet has to the nearest bound, and reports it', () => {
    const text = config('official-workspace', (one) =>
      one
        .replace('scale_up_threshold: 0.5', 'scale_up_threshold: 5')
        .replace('scale_up_multiplier: 1.5', 'scale_up_multiplier: 0.5'),
    )
    const [set] = imported({ configuration: text }).sets
    expect(set?.document.spec['scale']).toMatchObject({
      percentageRunnersIdle: { scaleUpThreshold: 1, scaleUpMultiplier: 1 },
    })
    expect(set?.lines.filter(({ is }) => is === 'changed').map(({ path: place }) => place)).toEqual(
      expect.arrayContaining(['groups[0].parameters.scale_up_threshold', 'groups[0].parameters.scale_up_multiplier']),
    )
  })

  it('keeps quantities and texts as they are, also in the written YAML', () => {
    const text = template('official-workspace')
      .replace(
        'customer: shared',
        'customer: "0644"\n            on: "yes"\n            big: "1e3"\n            octal: "0o17"',
      )
      .replace(
        '- name: WORKING_DIRECTORY',
        '- name: ODD\n                  value: "12:30:45"\n                - name: WORKING_DIRECTORY',
      )
    const { document } = imported({ template: text }).sets[0]!
    for (const version of ['1.1', '1.2'] as const) expect(parse(writeYaml(document), { version })).toEqual(document)
    expect(document.spec['template']).toMatchObject({
      metadata: { labels: { customer: '0644', on: 'yes', big: '1e3', octal: '0o17' } },
    })
  })

  it('uses the resources of the group without a template', () => {
    const [spec] = specOf({ template: undefined })
    expect(spec).toMatchObject({ docker: 'sidecar', template: { spec: { containers: [{ name: 'runner' }] } } })
  })

  it('has no sidecar for a template without Docker', () => {
    const text = template('official-workspace').replace(/^ {12}- name: docker\n[\s\S]*?(?=^ {10}restartPolicy)/m, '')
    expect(specOf({ template: text })[0]).toMatchObject({ docker: 'none' })
  })

  it('makes a privileged container named docker the sidecar, also with the image of a mirror', () => {
    const text = template('official-workspace').replace('image: docker:dind', 'image: mirror.example/ci/engine:7')
    const [spec] = specOf({ template: text })
    expect(spec).toMatchObject({ docker: 'sidecar' })
    expect(JSON.stringify(spec)).toContain('"initContainers":[{"name":"docker","image":"mirror.example/ci/engine:7"')
  })

  it('asks for the container of the runner', () => {
    const text = template('official-workspace')
      .replace('- name: runner\n', '- name: other\n')
      .replace('bitbucket-pipelines-runner', 'other')
      .replaceAll('- name: RUNNER_UUID', '- name: ID')
    expect(problems({ template: text })).toEqual([expect.stringMatching(/No container is the runner/)])
  })

  it('refuses what the schema of RunnerSets refuses, with its sentence', () => {
    const labels = Array.from({ length: 13 }, (_, index) => `      - "l${index}"\n`).join('')
    const text = config('official-workspace', (one) => one.replace('      - "my.group"\n', labels))
    expect(problems({ configuration: text })).toEqual([expect.stringMatching(/^configuration groups\[0\]: .*labels/)])
  })

  it('drops every value that belongs to one runner, and never writes a placeholder', () => {
    for (const name of ['several-groups', 'host-volumes', 'extra-sidecars']) {
      const { sets } = imported({ configuration: configuration(name), template: template(name) })
      expect(JSON.stringify(sets.map(({ document }) => document))).not.toMatch(/aaaaaaaa|bbbbbbbb|YWFh/)
    }
  })
})

// The rows C01 to C22 of the official tool's configuration, read strictly, and what the corrected reading makes of them.
import { describe, expect, it } from 'vitest'
import { type Configuration, labelsOf, type Mode, readConfiguration } from './configuration.ts'
import { doubtsOf } from './doubts.ts'

const parameters = `parameters:
      min: 1
      max: 10
      scale_up_threshold: 0.5
      scale_down_threshold: 0.2
      scale_up_multiplier: 1.5
      scale_down_multiplier: 0.5`

/** A group with all required fields. `over` replaces a field, or removes it with an empty text. */
function group(over: Readonly<Record<string, string>> = {}): string {
  const fields = {
    name: 'name: one',
    workspace: 'workspace: acme',
    labels: 'labels: [a]',
    namespace: 'namespace: ci',
    strategy: 'strategy: percentageRunnersIdle',
    parameters,
    ...over,
  }
  const lines = Object.values(fields).filter((field) => field !== '')
  return `  - ${lines.join('\n    ')}\n`
}

const file = (...groups: readonly string[]) => `groups:\n${groups.join('')}`

function accepted(text: string, mode: Mode = 'strict'): Configuration {
  const read = readConfiguration(text, mode)
  if (!read.ok) throw new Error(JSON.stringify(read.problems))
  return read.configuration
}

function problems(text: string, mode: Mode = 'strict'): readonly string[] {
  const read = readConfiguration(text, mode)
  return read.ok ? [] : read.problems.map(({ path, sentence }) => `${path}: ${sentence}`)
}

const paths = (text: string, mode: Mode = 'strict') => problems(text, mode).map((problem) => problem.split(': ')[0])

describe('the strict reading of a configuration', () => {
  it('C01: uses 5, 5, 600 and 300 without constants', () => {
    const { constants } = accepted(file(group()))
    expect(constants).toEqual({ sleepAfterSetup: 5, sleepAfterDelete: 5, pollingInterval: 600, coolDown: 300 })
  })

  it('C01: takes a default for each constant that is absent', () => {
    const { constants } = accepted(`constants: {runner_api_polling_interval: 15}\n${file(group())}`)
    expect(constants).toEqual({ sleepAfterSetup: 5, sleepAfterDelete: 5, pollingInterval: 15, coolDown: 300 })
  })

  it('C03: rejects constants that are null', () => {
    expect(problems(`constants:\n${file(group())}`)).toEqual([expect.stringMatching(/^constants: The value is null/)])
  })

  it.each(['', 'groups: []', 'groups:', 'groups: 1', 'constants: {}', '[]', 'groups: {a: 1}'])(
    'C04: rejects %j, which has no groups',
    (text) => {
      expect(problems(text)).toHaveLength(1)
    },
  )

  it('C05: uses 4Gi and 1000m without resources', () => {
    const quantities = { memory: '4Gi', cpu: '1000m' }
    expect(accepted(file(group())).groups[0]?.resources).toEqual({ requests: quantities, limits: quantities })
  })

  it('C06: accepts a request above the default limit', () => {
    const { resources } = accepted(file(group({ resources: 'resources: {requests: {memory: 8Gi}}' }))).groups[0]!
    expect(resources.requests).toEqual({ memory: '8Gi', cpu: '1000m' })
    expect(resources.limits).toEqual({ memory: '4Gi', cpu: '1000m' })
  })

  it('C06 corrected: rejects a request above its limit before Kubernetes does', () => {
    const configuration = accepted(file(group({ resources: 'resources: {requests: {memory: 8Gi}}' })), 'corrected')
    expect(doubtsOf(configuration).errors).toEqual([
      {
        path: 'groups[0].resources.limits.memory',
        sentence: 'The limit 4Gi is below the request 8Gi, so Kubernetes refuses each runner. Raise the limit.',
      },
    ])
  })

  it.each([
    ['2', '2'],
    ['1.5', '1.5'],
    ['2.0', '2.0'],
    ['500m', '500m'],
  ])('C07: reads the CPU %s as the text %s', (cpu, text) => {
    const { resources } = accepted(file(group({ resources: `resources: {limits: {cpu: ${cpu}}}` }))).groups[0]!
    expect(resources.limits.cpu).toBe(text)
  })

  it.each(['resources:', 'resources: {limits: }', 'resources: {limits: {cpu: }}', 'resources: 4Gi'])(
    'rejects %j',
    (resources) => {
      expect(problems(file(group({ resources })))).not.toEqual([])
    },
  )

  it('C08: adds the three official labels', () => {
    const labels = labelsOf(accepted(file(group())).groups[0]!)
    expect([...labels].sort()).toEqual(['a', 'autoscaler.created', 'linux', 'self.hosted'])
  })

  it('C09: rejects two groups with the same labels in another order', () => {
    const text = file(group({ labels: 'labels: [a, b]' }), group({ labels: 'labels: [b, a]' }))
    expect(problems(text)).toEqual([expect.stringMatching(/^groups\[1\]\.labels: The labels are those of groups\[0\]/)])
  })

  it('C09: counts the official labels as given', () => {
    expect(paths(file(group(), group({ labels: 'labels: [a, linux]' })))).toEqual(['groups[1].labels'])
  })

  it.each(['strict', 'corrected'] as const)('C11: rejects the same labels in another workspace, %s', (mode) => {
    expect(paths(file(group(), group({ workspace: 'workspace: other' })), mode)).toEqual(['groups[1].labels'])
  })

  it.each(['labels: []', '', 'labels: a', 'labels:', 'labels: {a: 1}', 'labels: [[a]]'])(
    'C12: rejects the labels %j',
    (labels) => {
      expect(paths(file(group({ labels })))).toEqual([expect.stringMatching(/^groups\[0\]\.labels/)])
    },
  )

  it('C13: reads the label 1 as a text', () => {
    expect(accepted(file(group({ labels: 'labels: [1]' }))).groups[0]?.labels).toEqual(['1'])
  })

  it('C14: has one message for each missing field', () => {
    expect(paths(file('  - labels: [a]\n'))).toEqual(
      ['name', 'workspace', 'namespace', 'strategy', 'parameters'].map((field) => `groups[0].${field}`),
    )
    expect(paths(file(group({ parameters: parameters.replace('      max: 10\n', '') })))).toEqual([
      'groups[0].parameters.max',
    ])
  })

  it('C15: rejects the reserved namespace', () => {
    const text = file(group({ namespace: 'namespace: bitbucket-runner-control-plane' }))
    expect(problems(text)).toEqual([expect.stringMatching(/^groups\[0\]\.namespace: .* is reserved/)])
  })

  it('C16: rejects an unknown strategy', () => {
    expect(problems(file(group({ strategy: 'strategy: foo' })))).toEqual([
      'groups[0].strategy: The strategy foo is not supported. Use percentageRunnersIdle.',
    ])
  })

  it('C19: accepts bounds that contradict each other', () => {
    expect(accepted(file(group({ parameters: absurd }))).groups[0]?.parameters).toEqual({
      min: 20,
      max: 10,
      scaleUpThreshold: 5,
      scaleDownThreshold: -1,
      scaleUpMultiplier: 0.5,
      scaleDownMultiplier: 1.5,
    })
  })

  it('C20: ignores unknown keys at any level, and architecture and node_selector', () => {
    const later = 'architecture: arm64\n    node_selector: {pool: ci}\n    other: {deep: 1}'
    const text = `more: 1\nconstants: {also: 2}\n${file(group({ later, resources: 'resources: {gpu: 1}' }))}`
    const [one] = accepted(text).groups
    expect(one).toMatchObject({ architecture: 'amd64', nodeSelector: new Map() })
    expect(labelsOf(one!)).toContain('linux')
  })

  it('C21: accepts 11 groups', () => {
    const groups = Array.from({ length: 11 }, (_, index) => group({ labels: `labels: [label${index}]` }))
    expect(accepted(file(...groups)).groups).toHaveLength(11)
  })

  it('C22: accepts two groups with one name', () => {
    expect(accepted(file(group(), group({ labels: 'labels: [b]' }))).groups.map(({ name }) => name)).toEqual([
      'one',
      'one',
    ])
  })

  it('reads a repository, null as absent, and refuses an empty one', () => {
    expect(accepted(file(group({ repository: 'repository: app' }))).groups[0]?.repository).toBe('app')
    expect(accepted(file(group({ repository: 'repository:' }))).groups[0]?.repository).toBeUndefined()
    expect(paths(file(group({ repository: 'repository: ""' })))).toEqual(['groups[0].repository'])
  })

  it('shows where the YAML is wrong', () => {
    expect(problems('groups: [')).toEqual([expect.stringMatching(/not valid YAML: line 1, column \d+/)])
  })
})

const camelCase = `parameters:
      min: 1
      max: 10
      scaleUpThreshold: 0.5
      scaleDownThreshold: 0.2
      scaleUpMultiplier: 1.5
      scaleDownMultiplier: 0.5`

const absurd = `parameters:
      min: 20
      max: 10
      scale_up_threshold: 5
      scale_down_threshold: -1
      scale_up_multiplier: 0.5
      scale_down_multiplier: 1.5`

describe('the corrected reading of a configuration', () => {
  it('C17: the strict one rejects camelCase with four missing fields, and the corrected one warns four times', () => {
    const text = file(group({ parameters: camelCase }))
    expect(paths(text)).toEqual(
      ['scale_up_threshold', 'scale_down_threshold', 'scale_up_multiplier', 'scale_down_multiplier'].map(
        (field) => `groups[0].parameters.${field}`,
      ),
    )
    const read = readConfiguration(text, 'corrected')
    expect(read.ok && read.warnings.map(({ path }) => path)).toEqual(
      ['scaleUpThreshold', 'scaleDownThreshold', 'scaleUpMultiplier', 'scaleDownMultiplier'].map(
        (field) => `groups[0].parameters.${field}`,
      ),
    )
    expect(read.ok && read.configuration.groups[0]?.parameters).toMatchObject({ scaleUpMultiplier: 1.5 })
  })

  it('C19: warns about each value that cannot work', () => {
    const text = `constants: {runner_api_polling_interval: 0, runner_cool_down_period: -1}\n${file(group({ parameters: absurd }))}`
    expect(doubtsOf(accepted(text, 'corrected')).warnings.map(({ path }) => path)).toEqual([
      'constants.runner_api_polling_interval',
      'constants.runner_cool_down_period',
      'groups[0].parameters.min',
      'groups[0].parameters.scale_up_threshold',
      'groups[0].parameters.scale_down_threshold',
      'groups[0].parameters.scale_up_multiplier',
      'groups[0].parameters.scale_down_multiplier',
    ])
  })

  it('C19: warns about a minimum of −1, and about 0, which lets steps fail', () => {
    for (const min of ['-1', '0']) {
      const text = file(group({ parameters: parameters.replace('min: 1', `min: ${min}`) }))
      expect(doubtsOf(accepted(text, 'corrected')).warnings.map(({ path }) => path)).toEqual([
        'groups[0].parameters.min',
      ])
    }
  })

  it('has no doubt about the shape of the official sample', () => {
    expect(doubtsOf(accepted(file(group()), 'corrected'))).toEqual({ errors: [], warnings: [] })
  })

  it('reads architecture and node_selector, and labels the groups by them', () => {
    const arm = { architecture: 'architecture: arm64', selector: 'node_selector: {pool: ci}' }
    const [, other] = accepted(file(group(), group(arm)), 'corrected').groups
    expect(other).toMatchObject({ architecture: 'arm64', nodeSelector: new Map([['pool', 'ci']]) })
    expect(labelsOf(other!)).toEqual(['a', 'self.hosted', 'linux.arm64', 'autoscaler.created'])
    expect(paths(file(group(), group(arm)))).toEqual(['groups[1].labels'])
  })

  it.each([
    ['architecture: s390x', 'groups[0].architecture'],
    ['node_selector: [a]', 'groups[0].node_selector'],
    ['node_selector: {pool: 1}', 'groups[0].node_selector.pool'],
  ])('refuses %s', (later, path) => {
    expect(paths(file(group({ later })), 'corrected')).toEqual([path])
  })

  it.each([
    [{ labels: 'labels: [Upper]' }, 'groups[0].labels[0]'],
    [{ namespace: 'namespace: Not_valid' }, 'groups[0].namespace'],
    [{ workspace: 'workspace: ""' }, 'groups[0].workspace'],
    [{ resources: 'resources: {limits: {cpu: much}}' }, 'groups[0].resources.limits.cpu'],
  ])('rejects %j early', (over, path) => {
    expect(doubtsOf(accepted(file(group(over)), 'corrected')).errors.map((problem) => problem.path)).toEqual([path])
  })

  it('reports that a file is from before version 1.0', () => {
    expect(problems('config: {}', 'corrected')).toEqual([expect.stringMatching(/^groups: .*before 1\.0/)])
  })
})

// The older generation of ARC: what its fields become, and the place of each line.
import { valueAt } from '@dayfly/kit/read-json'
import { describe, expect, it } from 'vitest'
import { importFiles } from '../import.fixture.ts'

const object = (kind: string, name: string, spec: string) =>
  `apiVersion: actions.summerwind.dev/v1alpha1\nkind: ${kind}\nmetadata: {name: ${name}, namespace: ci}\nspec: ${spec}\n`
const deployment = (fields: string, more = '') =>
  object('RunnerDeployment', 'old', `{${more}template: {spec: {organization: acme, ${fields}}}}`)
const scaler = (name: string, more = '') =>
  object('HorizontalRunnerAutoscaler', name, `{scaleTargetRef: {name: old}, maxReplicas: 4${more}}`)

function imported(...texts: readonly string[]) {
  const { sets, lines } = importFiles({ 'a.yaml': texts.join('---\n') })
  const [set] = sets
  const all = [...lines, ...(set?.lines ?? [])]
  const linesOf = (path: string) =>
    all.filter((line) => line.path === path).map(({ is, sentence }) => `${is}: ${sentence}`)
  const spec = set?.document.spec
  return { linesOf, pod: valueAt(spec, 'template', 'spec'), schedule: valueAt(spec, 'scale', 'schedule') }
}

describe('the runner', () => {
  it('has the fields of the listed container before those of the object, and the mounts of both', () => {
    const listed = '{name: runner, env: [{name: A, value: "1"}], volumeMounts: [{name: a, mountPath: /a}]}'
    const { pod, linesOf } = imported(
      deployment(
        `containers: [${listed}, {name: more}], env: [{name: B, value: "2"}], volumeMounts: [{name: b, mountPath: /b}], volumes: [{name: a, emptyDir: {}}, {name: b, emptyDir: {}}]`,
      ),
    )
    expect(pod).toMatchObject({
      containers: [
        {
          env: [{ name: 'A', value: '1' }],
          volumeMounts: [
            { name: 'a', mountPath: '/a' },
            { name: 'b', mountPath: '/b' },
          ],
        },
      ],
    })
    const own = 'spec.template.spec'
    expect(linesOf(`${own}.containers[0].volumeMounts[0].name`)).toEqual(['kept: spec.template'])
    expect(linesOf(`${own}.volumeMounts[0].name`)).toEqual(['kept: spec.template'])
    expect(linesOf(`${own}.env[0].name`)).toEqual(['dropped: The container runner has its own.'])
    expect(linesOf(`${own}.containers[1].name`)).toEqual([expect.stringMatching(/^decide/)])
  })

  it('names each variable at its own place, also behind one that only the old image reads', () => {
    const { linesOf } = imported(deployment('env: [{name: RUNNER_WORKDIR, value: /x}, {name: A, value: "1"}]'))
    expect(linesOf('spec.template.spec.env[0]')).toEqual([expect.stringMatching(/^dropped/)])
    expect(linesOf('spec.template.spec.env[1].name')).toEqual(['kept: spec.template'])
  })

  it('names a mount in the work folder of the old image', () => {
    const { linesOf } = imported(
      deployment('volumeMounts: [{name: a, mountPath: /runner/_work/a}], volumes: [{name: a, emptyDir: {}}]'),
    )
    expect(linesOf('spec.template.spec.volumeMounts[0].mountPath')).toEqual([expect.stringMatching(/^decide/)])
  })

  it.each([
    ['the sidecar', '', { initContainers: [{ name: 'docker', resources: { limits: { cpu: '2' } } }] }, /^kept/],
    ['no engine of its own', 'dockerdWithinRunnerContainer: true, ', undefined, /^dropped/],
  ])('gives the resources of dockerd to %s', (_, more, pod, line) => {
    const result = imported(deployment(`${more}dockerdContainerResources: {limits: {cpu: "2"}}`))
    expect(result.pod).toEqual(pod)
    expect(result.linesOf('spec.template.spec.dockerdContainerResources.limits.cpu')).toEqual([
      expect.stringMatching(line),
    ])
  })
})

describe('a scheduled override', () => {
  const times = (start: string, end: string, more = '') =>
    `, scheduledOverrides: [{startTime: "${start}", endTime: "${end}", minReplicas: 0${more}}]`
  const repeated = (frequency: string, more = '') => `, recurrenceRule: {frequency: ${frequency}${more}}`

  it.each([
    [
      'of a weekend is a window of two days',
      times('2021-05-01T00:00:00+09:00', '2021-05-03T00:00:00+09:00', repeated('Weekly')),
      [{ timeZone: 'Etc/GMT-9', days: ['Sat', 'Sun'], from: '00:00', to: '00:00', min: 0 }],
    ],
    [
      'from Friday evening to Monday morning is two windows',
      times('2023-04-14T20:00:00Z', '2023-04-17T06:30:00Z', repeated('Weekly')),
      [
        { timeZone: 'UTC', days: ['Fri', 'Sat'], from: '20:00', to: '20:00', min: 0 },
        { timeZone: 'UTC', days: ['Sun'], from: '20:00', to: '06:30', min: 0 },
      ],
    ],
    [
      'of each night is a window of each day',
      times('2023-04-14T22:00:00-05:00', '2023-04-15T11:00:00Z', repeated('Daily')),
      [{ timeZone: 'Etc/GMT+5', from: '22:00', to: '06:00', min: 0 }],
    ],
  ])('%s', (_, overrides, windows) => {
    const { schedule, linesOf } = imported(deployment(''), scaler('a', `, minReplicas: 2${overrides}`))
    expect(schedule).toEqual(windows)
    expect(linesOf('spec.scheduledOverrides[0].startTime')).toEqual([expect.stringMatching(/^changed: spec.scale.sch/)])
  })

  it.each([
    ['happens once', times('2021-05-01T00:00:00Z', '2021-05-03T00:00:00Z')],
    ['is Monthly', times('2021-05-01T00:00:00Z', '2021-05-03T00:00:00Z', repeated('Monthly'))],
    ['ends before it begins', times('2021-05-03T00:00:00Z', '2021-05-01T00:00:00Z', repeated('Weekly'))],
    ['is longer than', times('2021-05-01T00:00:00Z', '2021-05-03T00:00:00Z', repeated('Daily'))],
    ['the constant offset', times('2021-05-01T00:00:00+05:30', '2021-05-03T00:00:00+05:30', repeated('Weekly'))],
    ['cannot be read', times('soon', '2021-05-03T00:00:00Z', repeated('Weekly'))],
  ])('is left to the operator: %s', (why, overrides) => {
    const { schedule, linesOf } = imported(deployment(''), scaler('a', overrides))
    expect(schedule).toBeUndefined()
    expect(linesOf('spec.scheduledOverrides[0].startTime')).toEqual([expect.stringMatching(`^decide: .*${why}`)])
  })

  it('keeps its min below the maximum, and names an end that a window does not have', () => {
    const rule = repeated('Weekly', ', untilTime: "2022-05-01T00:00:00Z"')
    const overrides = times('2021-05-01T00:00:00Z', '2021-05-02T00:00:00Z', rule).replace(
      'minReplicas: 0',
      'minReplicas: 9',
    )
    const { schedule, linesOf } = imported(deployment(''), scaler('a', overrides))
    expect(schedule).toMatchObject([{ days: ['Sat'], min: 4 }])
    expect(linesOf('spec.scheduledOverrides[0].minReplicas')).toEqual([expect.stringContaining('It is 4, because')])
    expect(linesOf('spec.scheduledOverrides[0].recurrenceRule.untilTime')).toEqual([expect.stringMatching(/^decide/)])
  })
})

describe('the report', () => {
  it.each([
    [
      'the number of runners that an autoscaler sets',
      [deployment('', 'replicas: 2, '), scaler('a')],
      'spec.replicas',
      /^dropped/,
    ],
    ['a second autoscaler', [deployment(''), scaler('a'), scaler('b')], 'kind', /b scales old, and another/],
    [
      'runners that are not here',
      [deployment(''), scaler('a').replace('name: old', 'name: other')],
      'kind',
      /not in the input/,
    ],
    ['a second account', [deployment('repository: acme/x')], 'spec.template.spec.organization', /^decide/],
  ])('names %s', (_, texts, path, line) => {
    expect(imported(...texts).linesOf(path)).toEqual([expect.stringMatching(line)])
  })

  it('has no line about labels that are absent, but the labels that the runners had', () => {
    expect(imported(deployment('')).linesOf('spec.template.spec.labels')).toEqual([
      expect.stringMatching(/^decide: GitHub gave/),
    ])
  })

  it('names conditions of a template', () => {
    const text = deployment('').replace('spec: {', '{{- if x }}\nspec: {')
    expect(imported(`${text}{{- end }}\n`).linesOf('metadata.name')).toEqual([
      expect.stringMatching(/^decide: Conditions/),
    ])
  })
})

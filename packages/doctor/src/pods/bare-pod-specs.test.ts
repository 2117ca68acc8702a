// Pod specs without a pod, in strings: the configurations of programs that make runners.
import { describe, expect, it } from 'vitest'
import { decodeFiles, examine } from '../engine/examine.ts'
import { catalogue } from '../rules/catalogue.ts'

const spec = (image: string) => `containers:
  - name: runner
    image: ${image}
  - name: docker
    image: docker:27-dind
    securityContext: { privileged: true }
`
const indented = (text: string, columns: number) => text.replace(/^(?=.)/gm, ' '.repeat(columns))
const map = (data: string) =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: c }\ndata:\n  a: |\n${indented(data, 4)}`
const runner = 'ghcr.io/actions/actions-runner:2.330.0'

function examined(text: string) {
  const { findings, coverage } = examine(decodeFiles([{ path: 'a.yaml', text }]), catalogue)
  return {
    skipped: coverage.skipped,
    pods: coverage.pods,
    found: findings.map(({ code, object, place }) => `${code} ${object.kind} ${place?.line}`),
  }
}

describe('a pod spec in a string', () => {
  it.each([
    ['alone', spec(runner), 9],
    ['in a list of pod specs', `podSpecs:\n  - name: small\n    spec:\n${indented(spec(runner), 6)}`, 12],
    [
      'as JSON',
      JSON.stringify(
        {
          podSpecs: [
            {
              containers: [
                { name: 'runner', image: runner },
                { name: 'd', image: 'docker:dind' },
              ],
            },
          ],
        },
        null,
        1,
      ),
      14,
    ],
  ])('is that of a runner: %s', (_, text, line) => {
    const { skipped, pods, found } = examined(map(text))
    expect([skipped, pods]).toEqual([[], 1])
    expect(found).toContain(`POD114 PodSpec ${line}`)
  })

  it.each([
    ['in a ConfigMap', map],
    ['in a Secret', (text: string) => map(text).replace('ConfigMap', 'Secret').replace('data:', 'stringData:')],
    ['in a file of its own', (text: string) => text],
    ['beside settings of the provider', (text: string) => `kubeConfigPath: ""\nrunnerServiceAccount: r\n${text}`],
  ])("is GARM's template for its runners: %s", (_, placed) => {
    const text = `runnerNamespace: ci\npodTemplate:\n  spec:\n${indented(spec(runner), 4)}flavors: {}\n`
    const { pods, found } = examined(placed(text))
    expect(pods).toBe(1)
    expect(found.map((each) => each.replace(/\d+$/, ''))).toEqual(
      expect.arrayContaining(['POD101 GARM ', 'POD114 GARM ']),
    )
  })

  it('is not judged where it makes other pods, and not in a file of its own', () => {
    expect(examined(map(spec('nginx:1').replaceAll('runner', 'web').replace('docker:27-dind', 'redis:7')))).toEqual({
      skipped: [],
      pods: 0,
      found: [],
    })
    expect(examined(spec(runner)).pods).toBe(0)
  })
})

describe('a kind of runners that is not known', () => {
  const unknown = (apiVersion: string, kind: string) =>
    examine(
      decodeFiles([
        { path: 'a.yaml', text: `apiVersion: ${apiVersion}\nkind: ${kind}\nmetadata: { name: a }\nspec: {}\n` },
      ]),
      catalogue,
    ).coverage

  it.each([
    ['apps.gitlab.com/v1beta2', 'Runner'],
    ['garo.tietoevry.com/v1alpha1', 'GithubActionRunner'],
  ])('is counted as not examined: %s %s', (apiVersion, kind) => {
    expect(unknown(apiVersion, kind).skipped).toEqual([
      { file: 'a.yaml', line: 2, reason: expect.stringContaining(`a ${kind} of ${apiVersion.split('/')[0]}`) },
    ])
  })

  it.each([
    ['example.com/v1', 'Runbook'],
    ['dayfly.dev/v1alpha1', 'RunnerSet'],
    ['actions.github.com/v1alpha1', 'AutoscalingRunnerSet'],
    ['v1', 'Runner'],
  ])('is not assumed for %s %s', (apiVersion, kind) => expect(unknown(apiVersion, kind).skipped).toEqual([]))
})

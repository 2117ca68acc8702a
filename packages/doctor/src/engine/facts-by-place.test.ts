import { describe, expect, it, test } from 'vitest'
import type { Facts } from '../facts.ts'
import type { Hit } from '../finding.ts'
import { readRuleFixtures } from '../rule-fixtures.ts'
import { catalogue } from '../rules/catalogue.ts'
import { decodeFiles, examine } from './examine.ts'
import { gatherFacts } from './gather-facts.ts'

const pool = `apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: ci}
spec:
  template: {spec: {requirements: []}}
  disruption: {consolidationPolicy: WhenEmptyOrUnderutilized}
`
const runner = `apiVersion: v1
kind: Pod
metadata: {name: runner}
spec:
  restartPolicy: Never
  containers:
    - {name: runner, image: 'ghcr.io/actions/actions-runner:2.329.0'}
`
const set = `apiVersion: actions.github.com/v1alpha1
kind: AutoscalingRunnerSet
metadata: {name: builds, labels: {app.kubernetes.io/version: 0.13.0}}
spec: {githubConfigUrl: 'https://github.com/acme'}
`
const controller = `apiVersion: apps/v1
kind: Deployment
metadata: {name: arc}
spec:
  template:
    spec:
      containers:
        - {name: manager, image: 'ghcr.io/actions/gha-runner-scale-set-controller:0.14.2'}
`
const budget = `apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: runners, namespace: ci}
spec: {minAvailable: 1, selector: {matchLabels: {app: x}}}
`
const labelled = `apiVersion: actions.github.com/v1alpha1
kind: AutoscalingRunnerSet
metadata: {name: labelled, namespace: ci}
spec:
  template:
    metadata: {labels: {app: x}}
    spec: {containers: [{name: runner, image: 'ghcr.io/actions/actions-runner:2.329.0'}]}
`

const pairs: [code: string, fact: string, subject: string][] = [
  ['POD116', pool, runner],
  ['ARC404', controller, set],
  ['FIN501', controller, set],
  ['POD117', labelled, budget],
]

function codesOf(texts: Readonly<Record<string, string>>, code: string) {
  const files = decodeFiles(Object.entries(texts).map(([path, text]) => ({ path, text })))
  const rules = catalogue.filter((rule) => rule.code === code)
  return examine(files, rules).findings.map(({ place }) => place?.file)
}

describe.each(pairs)('%s', (code, fact, subject) => {
  it('sees a fact of the same cluster', () => {
    expect(codesOf({ 'a/fact.yaml': fact, 'b/subject.yaml': subject }, code)).toEqual(['b/subject.yaml'])
    const texts = { 'clusters/dev/x.yaml': budget, 'clusters/prod/fact.yaml': fact, 'clusters/prod/s.yaml': subject }
    expect(codesOf(texts, code)).toEqual(['clusters/prod/s.yaml'])
  })

  it('sees no fact of another cluster, nor of an unknown one', () => {
    const dev = { 'clusters/dev/fact.yaml': fact }
    expect(codesOf({ ...dev, 'clusters/prod/subject.yaml': subject }, code)).toEqual([])
    expect(codesOf({ ...dev, 'clusters/prod/x.yaml': budget, 'other/subject.yaml': subject }, code)).toEqual([])
    const elsewhere = { 'clusters/dev/x.yaml': budget, 'clusters/prod/subject.yaml': subject }
    expect(codesOf({ ...elsewhere, 'other/fact.yaml': fact }, code)).toEqual([])
  })

  it('sees unknown objects of one folder together', () => {
    const several = { 'clusters/dev/x.yaml': budget, 'clusters/prod/x.yaml': budget }
    expect(codesOf({ ...several, 'other/fact.yaml': fact, 'other/subject.yaml': subject }, code)).toEqual([
      'other/subject.yaml',
    ])
  })

  it('reports a base once, although two clusters use it', () => {
    const use = 'resources: [../../base]\n'
    const texts = {
      'base/kustomization.yaml': 'resources: [subject.yaml]\n',
      'base/subject.yaml': subject,
      'clusters/dev/kustomization.yaml': use,
      'clusters/dev/fact.yaml': fact,
      'clusters/prod/kustomization.yaml': use,
      'clusters/prod/fact.yaml': fact,
    }
    expect(codesOf(texts, code)).toEqual(['base/subject.yaml'])
  })
})

describe('the declared version of a cluster', () => {
  const sidecar = runner.replace(
    '  containers:',
    '  initContainers: [{name: a, image: nginx, restartPolicy: Always}]\n  containers:',
  )
  const files = decodeFiles([
    { path: 'old/a.yaml', text: sidecar },
    { path: 'new/a.yaml', text: sidecar },
  ])
  const clusters = [
    { name: 'old', paths: ['old/**'], kubernetesVersion: '1.28' },
    { name: 'new', paths: ['new/**'], kubernetesVersion: '1.34' },
  ]
  const rules = catalogue.filter(({ code }) => code === 'POD105')

  it('decides the findings of its own files only', () => {
    const { findings } = examine(files, rules, { clusters })
    expect(findings.map(({ place }) => place?.file)).toEqual(['old/a.yaml'])
    expect(findings[0]?.message).toContain('1.28 (declared for the cluster old)')
  })

  it('gives way to a version for the whole input', () => {
    const version = { minors: [34], declared: true, from: 'a test' }
    expect(examine(files, rules, { clusters, version }).findings).toEqual([])
  })
})

/** A rule that compares objects but does not say so would let one cluster speak for another. */
test.each(
  catalogue
    .filter(({ modes, isCrossObject }) => modes.includes('static') && !isCrossObject)
    .map((rule) => [rule.slug, rule] as const),
)('%s judges each object alone', (slug, rule) => {
  for (const { text } of readRuleFixtures(slug)) {
    const facts = gatherFacts(decodeFiles([{ path: 'a.yaml', text }]).flatMap(({ objects }) => objects))
    const alone = facts.objects.flatMap((fact) => {
      const pods = facts.pods.filter(({ document }) => document === fact.document)
      return hitsOf({ ...facts, objects: [fact], pods }, rule.check)
    })
    expect(alone).toEqual(hitsOf(facts, rule.check))
  }
})

function hitsOf(
  facts: Facts,
  check: (facts: Facts) => { readonly hits: readonly Hit[] } | { readonly skipped: string },
) {
  const result = check(facts)
  if ('skipped' in result) return []
  return result.hits.toSorted((one, other) => (one.document ?? 0) - (other.document ?? 0))
}

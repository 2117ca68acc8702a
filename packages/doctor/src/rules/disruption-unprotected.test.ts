// Tests the node autoscalers of the input: the pools that a pod reaches, their policies, the autoscaler's flags.
import { expect, test } from 'vitest'
import { decodeFiles, examine } from '../engine/examine.ts'
import { rule } from './disruption-unprotected.ts'

type Fields = Readonly<Record<string, unknown>>

const metadata = { name: 'a' }
const runner = { name: 'runner', image: 'ghcr.io/actions/actions-runner:2.329.0' }

function messages(objects: readonly Fields[]): readonly string[] {
  const text = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects })
  return examine(decodeFiles([{ path: 'a.json', text }]), [rule]).findings.map(({ message }) => message)
}

const pod = (spec: Fields = {}): Fields => {
  return { apiVersion: 'v1', kind: 'Pod', metadata, spec: { restartPolicy: 'Never', containers: [runner], ...spec } }
}
type Pool = { disruption?: Fields; template?: Fields; labels?: Fields; beta?: true }
const pool = ({ disruption, template, labels, beta }: Pool): Fields => ({
  apiVersion: beta ? 'karpenter.sh/v1beta1' : 'karpenter.sh/v1',
  kind: 'NodePool',
  metadata: { name: 'ci' },
  spec: { template: { metadata: { labels }, spec: template ?? {} }, ...(disruption && { disruption }) },
})

const toSave =
  /may evict this runner in the middle of its job to save cost \(consolidationPolicy When\w*Underutilized\),/
const expiry = /when it expires \(expireAfter \d+h\),/

test.each<[Pool, RegExp | undefined]>([
  [{}, toSave],
  [{ disruption: { consolidationPolicy: 'WhenEmptyOrUnderutilized', consolidateAfter: '1m' } }, toSave],
  [{ disruption: { consolidationPolicy: 'WhenEmptyOrUnderutilized', consolidateAfter: '12h' } }, undefined],
  [{ disruption: { consolidateAfter: 'Never' } }, undefined],
  [{ disruption: { consolidationPolicy: 'WhenEmpty', consolidateAfter: '30s' } }, undefined],
  [{ disruption: { consolidationPolicy: 'WhenEmpty' }, template: { expireAfter: '24h' } }, expiry],
  [{ disruption: { consolidationPolicy: 'WhenEmpty' }, template: { expireAfter: '720h' } }, undefined],
  [{ disruption: { consolidationPolicy: 'WhenEmpty' }, template: { expireAfter: 'Never' } }, undefined],
  [{ disruption: { consolidationPolicy: 'WhenEmpty', expireAfter: '24h' } }, undefined],
  [{ disruption: { budgets: [{ nodes: '0' }] } }, undefined],
  [{ disruption: { budgets: [{ nodes: '0' }] }, template: { expireAfter: '24h' } }, expiry],
  [{ disruption: { budgets: [{ nodes: '0', reasons: ['Underutilized'] }] } }, undefined],
  [{ disruption: { budgets: [{ nodes: '0', reasons: ['Drifted'] }] } }, toSave],
  [{ disruption: { budgets: [{ nodes: '0', schedule: '@daily', duration: '8h' }] } }, toSave],
  [{ disruption: { budgets: [{ nodes: '10%' }] } }, toSave],
  [{ beta: true, disruption: { consolidationPolicy: 'WhenUnderutilized' } }, toSave],
  [{ beta: true, disruption: { consolidationPolicy: 'WhenEmpty', consolidateAfter: '30s' } }, undefined],
  [{ beta: true, disruption: { consolidationPolicy: 'WhenEmpty', expireAfter: '24h' } }, expiry],
  [{ beta: true, disruption: { consolidationPolicy: 'WhenEmpty' }, template: { expireAfter: '24h' } }, undefined],
  [
    { beta: true, disruption: { consolidationPolicy: 'WhenEmpty', expireAfter: '24h', budgets: [{ nodes: '0' }] } },
    undefined,
  ],
])('reads the policy of the pool: %j', (given, expected) => {
  expect(messages([pool(given), pod()])).toEqual(expected ? [expect.stringMatching(expected)] : [])
})

const taint = { key: 'ci', value: 'yes', effect: 'NoSchedule' }
const require = (...terms: readonly Fields[][]) => ({
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: terms.map((matchExpressions) => ({ matchExpressions })),
      },
    },
  },
})
const limited = (...requirements: readonly Fields[]): Pool => ({ template: { requirements } })

test.each<[boolean, Pool, Fields]>([
  [true, { labels: { team: 'ci' } }, { nodeSelector: { team: 'ci' } }],
  [
    true,
    { labels: { type: 'karpenter' }, template: { taints: [taint] } },
    { nodeSelector: { type: 'karpenter' }, tolerations: [{ key: 'ci', operator: 'Exists' }] },
  ],
  [false, { labels: { team: 'web' } }, { nodeSelector: { team: 'ci' } }],
  [false, {}, { nodeSelector: { 'eks.amazonaws.com/nodegroup': 'ci' } }],
  [true, {}, { nodeSelector: { 'kubernetes.io/arch': 'arm64' } }],
  [
    false,
    limited({ key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] }),
    { nodeSelector: { 'kubernetes.io/arch': 'arm64' } },
  ],
  [
    true,
    limited({ key: 'kubernetes.io/arch', operator: 'NotIn', values: ['amd64'] }),
    { nodeSelector: { 'kubernetes.io/arch': 'arm64' } },
  ],
  [true, limited({ key: 'team', operator: 'Exists' }), { nodeSelector: { team: 'ci' } }],
  [true, {}, { nodeSelector: { 'karpenter.sh/nodepool': 'ci' } }],
  [false, { template: { taints: [taint] } }, {}],
  [true, { template: { taints: [{ ...taint, effect: 'PreferNoSchedule' }] } }, {}],
  [true, { template: { taints: [taint] } }, { tolerations: [{ key: 'ci', operator: 'Exists' }] }],
  [true, { template: { taints: [taint] } }, { tolerations: [{ operator: 'Exists' }] }],
  [true, { template: { taints: [taint] } }, { tolerations: [{ key: 'ci', value: 'yes', effect: 'NoSchedule' }] }],
  [false, { template: { taints: [taint] } }, { tolerations: [{ key: 'ci', value: 'no' }] }],
  [false, { template: { taints: [taint] } }, { tolerations: [{ key: 'ci', operator: 'Exists', effect: 'NoExecute' }] }],
  [false, {}, require([{ key: 'karpenter.sh/nodepool', operator: 'DoesNotExist' }])],
  [false, {}, require([{ key: 'team', operator: 'Exists' }])],
  [true, {}, require([{ key: 'team', operator: 'Exists' }], [{ key: 'team', operator: 'DoesNotExist' }])],
  [true, {}, require([{ key: 'karpenter.sh/capacity-type', operator: 'NotIn', values: ['spot'] }])],
  [
    false,
    limited({ key: 'karpenter.sh/capacity-type', operator: 'In', values: ['spot'] }),
    require([{ key: 'karpenter.sh/capacity-type', operator: 'NotIn', values: ['spot'] }]),
  ],
])('%s: the pod may get to a node of the pool %j with %j', (expected, given, spec) => {
  expect(messages([pool(given), pod(spec)])).toHaveLength(expected ? 1 : 0)
})

test('a pool of the input decides for the pods that name it, and no other pool does', () => {
  const calm = pool({ disruption: { consolidationPolicy: 'WhenEmpty' } })
  const hasty = { ...pool({}), metadata: { name: 'web' } }
  expect(messages([calm, hasty, pod({ nodeSelector: { 'karpenter.sh/nodepool': 'ci' } })])).toEqual([])
  expect(messages([calm, hasty, pod({ nodeSelector: { 'karpenter.sh/nodepool': 'web' } })])).toHaveLength(1)
  expect(messages([calm, pod({ nodeSelector: { 'karpenter.sh/nodepool': 'not-here' } })])).toHaveLength(1)
})

const cluster = (...flags: string[]): Fields => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata,
  spec: {
    template: {
      spec: {
        containers: [
          {
            name: 'a',
            image: 'registry.k8s.io/autoscaling/cluster-autoscaler:v1.33.0',
            command: ['./cluster-autoscaler', ...flags],
          },
        ],
      },
    },
  },
})
const job = (spec: Fields = {}): Fields => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata,
  spec: { template: { spec: { restartPolicy: 'Never', containers: [runner], ...spec } } },
})
const set: Fields = {
  apiVersion: 'actions.github.com/v1alpha1',
  kind: 'AutoscalingRunnerSet',
  metadata,
  spec: { template: { spec: { containers: [runner] } } },
}
const local = { volumes: [{ name: 'work', emptyDir: {} }] }
const anyStorage = '--skip-nodes-with-local-storage=false'
const anyOwner = '--skip-nodes-with-custom-controller-pods=false'

test.each<[string, Fields, Fields, number]>([
  ['a Job', cluster(), job(), 1],
  ['a Job with local storage', cluster(), job(local), 0],
  ['a Job with local storage that does not count', cluster(anyStorage), job(local), 1],
  ['a pod without a controller', cluster(), pod(), 0],
  ['a runner of ARC', cluster(), set, 0],
  ['a runner of ARC whose controller does not count', cluster(anyOwner), set, 1],
])('the Cluster Autoscaler drains the node of %s', (_, deployment, object, count) => {
  const found = messages([deployment, object])
  expect(found).toHaveLength(count)
  for (const message of found) expect(message).toContain('safe-to-evict: "false"')
})

test('a placement that a template computes is unknown', () => {
  const text = (line: string) =>
    `${JSON.stringify(pool({}))}\n---\napiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  restartPolicy: Never\n${line}  containers:\n  - {name: runner, image: 'ghcr.io/actions/actions-runner:2.329.0'}\n`
  const found = (line: string) => examine(decodeFiles([{ path: 'a.yaml', text: text(line) }]), [rule]).findings.length
  expect(found('')).toBe(1)
  expect(found('  nodeSelector: {{ toJson .Values.nodeSelector }}\n')).toBe(0)
  expect(found('  nodeSelector:\n    kubernetes.io/arch: {{ .Values.arch }}\n')).toBe(0)
})

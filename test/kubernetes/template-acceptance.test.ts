// The acceptance of templates on a real API server: what it refuses, adds and changes, each with its own sentence and our next step.
import { systemClock } from '@dayfly/kit/system'
import { connect } from '@dayfly/kubernetes/connect'
import { loadKubeconfig } from '@dayfly/kubernetes/kubeconfig'
import type { KubeObject, Resource } from '@dayfly/kubernetes/types'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { embeddedKubernetes } from '../cluster/embedded-kubernetes.ts'
import { type Judgement, judge, sameEverywhere } from '../controller/template-verdict.ts'
import { createPlace, eventually, namespaces, object, quotas } from './client-place.ts'
import { kubeconfig, whyNone } from './cluster.ts'

type Json = Readonly<Record<string, unknown>>

const accounts: Resource = { ...quotas, plural: 'serviceaccounts', kind: 'ServiceAccount' }
const limitRanges: Resource = { ...quotas, plural: 'limitranges', kind: 'LimitRange' }
const admission = (plural: string, kind: string): Resource => ({
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  plural,
  kind,
  namespaced: false,
})
const validating = admission('validatingadmissionpolicies', 'ValidatingAdmissionPolicy')
const mutating = admission('mutatingadmissionpolicies', 'MutatingAdmissionPolicy')
const hooks = admission('validatingwebhookconfigurations', 'ValidatingWebhookConfiguration')
const bindingOf = ({ plural, kind, ...rest }: Resource): Resource => ({
  ...rest,
  plural: plural.replace(/ies$/, 'ybindings'),
  kind: `${kind}Binding`,
})
const podRules = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }]

const next = {
  template:
    'Correct the field named in the message. Dayfly checks the template again when the set changes, and every minute.',
  changed: 'Find the webhook or the old API server that drops or changes the field named in the message.',
  admission: 'Satisfy the rule named in the message, or exempt the namespace from it.',
  reference: 'Create the object named in the message, or correct its name in the template of the set.',
  quota: 'Raise the quota, lower max of the set, or wait until other pods end.',
}

const file = kubeconfig
if (file) describe('the acceptance of templates', () => suite(file))
else describe('the acceptance of templates', () => it('on a real API server', (context) => context.skip(whyNone)))

function suite(file: string): void {
  const place = createPlace(async () => connect(await loadKubeconfig(file), systemClock()))
  const { kubernetes, namespace, run } = place
  const cleanUp: (() => Promise<unknown>)[] = []
  let count = 0
  afterAll(async () => {
    for (const step of cleanUp.toReversed()) await step()
  })

  /** Creates a namespace with these labels that takes pods. */
  const createNamespace = async (labels: Record<string, string> = {}) => {
    const name = `${namespace}-${++count}`
    await kubernetes.create(namespaces, object('v1', 'Namespace', { name, labels: { run, ...labels } }))
    cleanUp.push(() => kubernetes.delete(namespaces, { name }))
    await eventually('the namespace has its ServiceAccount', () =>
      kubernetes.get(accounts, { namespace: name, name: 'default' }),
    )
    return name
  }
  const add = async (resource: Resource, metadata: KubeObject['metadata'], fields: Json) => {
    const apiVersion = resource.group === '' ? 'v1' : `${resource.group}/${resource.version}`
    await kubernetes.create(resource, object(apiVersion, resource.kind, metadata, fields))
    if (!resource.namespaced) cleanUp.push(() => kubernetes.delete(resource, { name: metadata.name }))
  }
  /** Adds a policy that is bound to the namespaces with the label `policy: NAME`. */
  const bind = async (resource: Resource, name: string, spec: Json) => {
    const whole = `${name}.${run}.dayfly.dev`
    await add(
      resource,
      { name: whole },
      { spec: { failurePolicy: 'Fail', matchConstraints: { resourceRules: podRules }, ...spec } },
    )
    const matchResources = { namespaceSelector: { matchLabels: { run, policy: name } } }
    const actions = resource === validating ? { validationActions: ['Deny'] } : {}
    await add(bindingOf(resource), { name: whole }, { spec: { policyName: whole, matchResources, ...actions } })
    return await createNamespace({ policy: name })
  }
  const patch = (expression: string) => ({
    reinvocationPolicy: 'Never',
    mutations: [{ patchType: 'JSONPatch', jsonPatch: { expression } }],
  })
  const change = (expression: string) => ({
    reinvocationPolicy: 'Never',
    mutations: [{ patchType: 'ApplyConfiguration', applyConfiguration: { expression } }],
  })
  /** Judges until a new policy or quota is in effect. */
  const judged = async (at: string, over: Json, expected: Judgement | object) => {
    let last: Judgement | undefined
    await eventually('the rule of the cluster is in effect', async () => {
      last = await judge(kubernetes, at, over)
      return hasReason(last, expected)
    }).catch(() => undefined)
    expect(last).toEqual(expected)
  }

  it.each(sameEverywhere)('judges as the embedded API server does: %s', async (_name, over, reason) => {
    const at = plain
    const real = await judge(kubernetes, at, over)
    expect(real.is).toBe(reason === undefined ? 'accepted' : 'refused')
    expect(real).toEqual(await judge(embeddedKubernetes(at), at, over))
  })

  let plain = ''
  beforeAll(async () => {
    plain = await createNamespace()
  })

  const refused = (reason: string, step: string, message: RegExp) => ({
    is: 'refused',
    reason,
    next: step,
    message: expect.stringMatching(message),
  })
  const accepted = { is: 'accepted', warnings: [] }

  it('shows a used-up quota', async () => {
    const at = await createNamespace()
    await add(quotas, { namespace: at, name: 'none' }, { spec: { hard: { pods: '0' } } })
    const message = /is forbidden: exceeded quota: none, requested: pods=1, used: pods=0, limited: pods=0$/
    await judged(at, {}, refused('quota-exceeded', next.quota, message))
  })

  it('shows a quota that needs limits', async () => {
    const at = await createNamespace()
    await add(quotas, { namespace: at, name: 'cpu' }, { spec: { hard: { 'limits.cpu': '4' } } })
    const message = /is forbidden: failed quota: cpu: must specify limits\.cpu for: runner$/
    await judged(at, {}, refused('admission-denied', next.admission, message))
    const container = { name: 'runner', resources: { limits: { cpu: '1' } } }
    await judged(at, { template: { spec: { containers: [container] } } }, accepted)
  })

  it('shows the maximum of a LimitRange, and accepts its defaults', async () => {
    const at = await createNamespace()
    const limits = [{ type: 'Container', max: { cpu: '2' }, default: { cpu: '500m' }, defaultRequest: { cpu: '100m' } }]
    await add(limitRanges, { namespace: at, name: 'limits' }, { spec: { limits } })
    const big = { containers: [{ name: 'runner', resources: { limits: { cpu: '3' } } }] }
    const message = /is forbidden: maximum cpu usage per Container is 2, but limit is 3$/
    await judged(at, { template: { spec: big } }, refused('admission-denied', next.admission, message))
    await judged(at, { docker: 'sidecar' }, accepted)
  })

  it('shows what Pod Security forbids, and that only the Docker sidecar needs privileges', async () => {
    const at = await createNamespace({ 'pod-security.kubernetes.io/enforce': 'baseline' })
    await judged(at, {}, accepted)
    const message =
      /violates PodSecurity "baseline:latest": privileged \(container "docker" must not set securityContext\.privileged=true\)$/
    await judged(at, { docker: 'sidecar' }, refused('admission-denied', next.admission, message))
  })

  it('shows the sentence of a validating policy', async () => {
    const validations = [
      {
        expression: "object.spec.containers.all(c, !c.image.endsWith(':latest'))",
        message: 'pin the version of the image',
      },
    ]
    const at = await bind(validating, 'pinned', { validations })
    const message =
      /is forbidden: ValidatingAdmissionPolicy '.*' with binding '.*' denied request: pin the version of the image$/
    await judged(at, {}, refused('admission-denied', next.admission, message))
    await judged(at, { template: { spec: { containers: [{ name: 'runner', image: 'r:1' }] } } }, accepted)
  })

  it('shows a webhook that does not answer', async () => {
    const at = await createNamespace({ policy: 'hooked' })
    const webhook = {
      ...{ name: 'gate.dayfly.dev', sideEffects: 'None', admissionReviewVersions: ['v1'], timeoutSeconds: 1 },
      clientConfig: { url: 'https://127.0.0.1:1/gate' },
      namespaceSelector: { matchLabels: { run, policy: 'hooked' } },
      rules: podRules,
    }
    await add(hooks, { name: `gate.${run}.dayfly.dev` }, { webhooks: [webhook] })
    const message = /^Internal error occurred: failed calling webhook "gate\.dayfly\.dev": .*connection refused$/
    await judged(at, {}, refused('admission-denied', next.admission, message))
  })

  it('shows a ServiceAccount and a priority class that do not exist', async () => {
    const account = /is forbidden: error looking up service account .*: serviceaccount "gone" not found$/
    const spec = { serviceAccountName: 'gone' }
    await judged(plain, { template: { spec } }, refused('reference-missing', next.reference, account))
    const priority = /is forbidden: no PriorityClass with name gone was found$/
    const other = { priorityClassName: 'gone' }
    await judged(plain, { template: { spec: other } }, refused('reference-missing', next.reference, priority))
  })

  it('accepts what a mesh adds: labels, a proxy as native sidecar, volumes and variables', async () => {
    const at = await bind(
      mutating,
      'mesh',
      change(`Object{
        metadata: Object.metadata{labels: {"mesh": "on"}, annotations: {"mesh/status": "injected"}},
        spec: Object.spec{
          initContainers: [Object.spec.initContainers{name: "proxy", image: "mesh/proxy:1", restartPolicy: "Always"}],
          containers: [Object.spec.containers{
            name: "runner",
            env: [Object.spec.containers.env{name: "MESH", value: "on"}],
            volumeMounts: [Object.spec.containers.volumeMounts{name: "mesh", mountPath: "/mesh"}]
          }],
          volumes: [Object.spec.volumes{name: "mesh", emptyDir: Object.spec.volumes.emptyDir{}}],
          terminationGracePeriodSeconds: 45
        }
      }`),
    )
    // The policy is in effect when its label is on a pod.
    await eventually('the mesh changes pods', async () => {
      const pod = object(
        'v1',
        'Pod',
        { name: 'trial', namespace: at },
        { spec: { containers: [{ name: 'runner', image: 'r' }] } },
      )
      const { object: stored } = await kubernetes.create({ ...quotas, plural: 'pods', kind: 'Pod' }, pod, {
        dryRun: true,
      })
      return stored.metadata.labels?.['mesh'] === 'on'
    })
    await judged(at, {}, accepted)
    const message = /^spec\.terminationGracePeriodSeconds was dropped or changed$/
    await judged(at, { docker: 'sidecar' }, refused('template-changed', next.changed, message))
  })

  it.each([
    [
      'the image of the runner',
      'image',
      'Object{spec: Object.spec{containers: [Object.spec.containers{name: "runner", image: "other:1"}]}}',
      'spec.containers[0].image',
    ],
    [
      'the credential of the runner',
      'volume',
      'Object{spec: Object.spec{volumes: [Object.spec.volumes{name: "dayfly-credential", secret: Object.spec.volumes.secret{secretName: "x"}}]}}',
      'spec.volumes[0].secret.secretName',
    ],
    [
      'the restart policy of the pod',
      'policy',
      'Object{spec: Object.spec{restartPolicy: "Always"}}',
      'spec.restartPolicy',
    ],
  ])('shows a silent change of %s', async (_what, name, expression, path) => {
    const at = await bind(mutating, name, change(expression))
    const message = new RegExp(`^${path.replace(/[[\]]/g, '\\$&')} was dropped or changed$`)
    await judged(at, {}, refused('template-changed', next.changed, message))
  })

  it('shows a word that was added to the command of the runner', async () => {
    const expression = '[JSONPatch{op: "add", path: "/spec/containers/0/command/-", value: "--debug"}]'
    const at = await bind(mutating, 'command', patch(expression))
    const message = /^spec\.containers\[0\]\.command was dropped or changed$/
    await judged(at, {}, refused('template-changed', next.changed, message))
  })

  it('accepts an image from a mirror', async () => {
    const expression =
      'Object{spec: Object.spec{containers: object.spec.containers.map(c, Object.spec.containers{name: c.name, image: "mirror.example/" + c.image})}}'
    const at = await bind(mutating, 'mirror', change(expression))
    await eventually('the mirror changes pods', async () => {
      const pod = object(
        'v1',
        'Pod',
        { name: 'trial', namespace: at },
        { spec: { containers: [{ name: 'runner', image: 'r' }] } },
      )
      const { object: stored } = await kubernetes.create({ ...quotas, plural: 'pods', kind: 'Pod' }, pod, {
        dryRun: true,
      })
      return JSON.stringify(stored['spec']).includes('mirror.example/r')
    })
    await judged(at, {}, accepted)
  })
}

/** Returns whether the judgement has the expected reason. */
function hasReason(judgement: Judgement, expected: object): boolean {
  const reason = 'reason' in judgement ? judgement.reason : undefined
  return reason === ('reason' in expected ? expected.reason : undefined)
}

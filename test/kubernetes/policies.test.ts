// Tests the admission policies on a real API server: each compiles, and agrees with its rule on every object of the rule's page.
import { catalogue } from '@dayfly/doctor/rules/catalogue'
import { systemClock } from '@dayfly/kit/system'
import { connect } from '@dayfly/kubernetes/connect'
import { KubernetesError } from '@dayfly/kubernetes/errors'
import { loadKubeconfig } from '@dayfly/kubernetes/kubeconfig'
import type { KubeObject, Resource } from '@dayfly/kubernetes/types'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { policyBundle } from '../../scripts/policies.ts'
import { createPlace, eventually, object, pods, refusal } from './client-place.ts'
import { kubeconfig, whyNone } from './cluster.ts'
import { type CustomKinds, defineCustomKinds } from './custom-kinds.ts'
import { allSubjects, codesOf, objectIn, type Subject } from './policy-subjects.ts'

type Policy = KubeObject & {
  readonly spec: {
    readonly matchConstraints: {
      readonly resourceRules: readonly {
        readonly apiGroups: readonly string[]
        readonly resources: readonly string[]
      }[]
    }
  }
  readonly status?: {
    readonly observedGeneration?: number
    readonly typeChecking?: { readonly expressionWarnings?: readonly unknown[] }
  }
}

const admission = { group: 'admissionregistration.k8s.io', version: 'v1', namespaced: false }
const policyKind: Resource = {
  ...admission,
  plural: 'validatingadmissionpolicies',
  kind: 'ValidatingAdmissionPolicy',
}
const bindingKind: Resource = {
  ...policyKind,
  plural: `${policyKind.kind.toLowerCase()}bindings`,
  kind: `${policyKind.kind}Binding`,
}
const jobs: Resource = { group: 'batch', version: 'v1', plural: 'jobs', kind: 'Job', namespaced: true }
const accounts: Resource = { ...pods, plural: 'serviceaccounts', kind: 'ServiceAccount' }

const documents = parseAllDocuments(policyBundle()).map((document) => document.toJS() as KubeObject)
const policies = documents.filter(({ kind }) => kind === policyKind.kind) as Policy[]
const nameOf = (code: string, slug: string) => `${code.toLowerCase()}-${slug}.dayfly.dev`
const covered = catalogue.filter(({ code, slug }) =>
  policies.some(({ metadata }) => metadata.name === nameOf(code, slug)),
)

const file = kubeconfig
if (file) describe('the admission policies', () => suite(file))
else describe('the admission policies', () => it('on a real API server', (context) => context.skip(whyNone)))

function suite(file: string): void {
  const { kubernetes, run, namespace } = createPlace(async () => connect(await loadKubeconfig(file), systemClock()))
  let kinds: CustomKinds | undefined
  const installed = (name: string) => name.replace(/dayfly\.dev$/, `${run}.dayfly.dev`)
  const kindOf = ({ kind }: KubeObject) => (kind === policyKind.kind ? policyKind : bindingKind)

  beforeAll(async () => {
    kinds = await defineCustomKinds(kubernetes)
    for (const document of documents) await kubernetes.create(kindOf(document), inHere(document))
    await eventually('pods have an account', () => kubernetes.get(accounts, { namespace, name: 'default' }))
  })
  afterAll(async () => {
    for (const document of documents)
      await kubernetes.delete(kindOf(document), { name: installed(document.metadata.name) })
    await kinds?.remove()
  })

  /** Limits a policy to this namespace, and makes it report its hints and its own errors. */
  function inHere(document: KubeObject): KubeObject {
    const metadata = { name: installed(document.metadata.name) }
    const { spec } = document as KubeObject & { readonly spec: Readonly<Record<string, object>> }
    const namespaceSelector = { matchLabels: { 'kubernetes.io/metadata.name': namespace } }
    const changed =
      document.kind === policyKind.kind
        ? { failurePolicy: 'Fail', matchConstraints: { ...spec['matchConstraints'], namespaceSelector } }
        : { policyName: metadata.name, validationActions: ['Warn', 'Audit'] }
    return { ...document, metadata, spec: { ...spec, ...changed } } as KubeObject
  }

  async function admit(subject: Subject): Promise<readonly string[] | undefined> {
    const resource = resourceOf(subject)
    if (!resource) return undefined
    try {
      const { warnings } = await kubernetes.create(resource, objectIn(namespace, subject), { dryRun: true })
      return warnings.flatMap((warning) => {
        const [, name] = /^Validation failed for ValidatingAdmissionPolicy '(\w+)-/.exec(warning) ?? []
        if (/resulted in error|error/.test(warning) || (name && !warning.includes(name.toUpperCase()))) return [warning]
        return name === undefined ? [] : [name.toUpperCase()]
      })
    } catch (error) {
      if (error instanceof KubernetesError && (error.kind === 'invalid' || error.kind === 'bad-request'))
        return undefined
      throw error
    }
  }

  it.each(policies.map(({ metadata }) => metadata.name))('%s compiles', async (name) => {
    const get = async () => (await kubernetes.get(policyKind, { name: installed(name) })) as Policy
    await eventually('its types are checked', async () => {
      const { metadata, status } = await get()
      return status?.typeChecking && status.observedGeneration === metadata['generation']
    })
    expect((await get()).status?.typeChecking).toEqual({})
  })

  it('agree with the rules on every page and sample', async () => {
    const subjects = allSubjects().filter(resourceOf)
    let differing: unknown[] = []
    const fired = new Set<string>()
    let admitted = 0
    const compare = async () => {
      differing = []
      admitted = 0
      for (const subject of subjects) {
        const said = await admit(subject)
        if (!said) continue
        admitted++
        const { reported: rules, remarked } = codesOf(subject, covered)
        for (const code of rules) fired.add(code)
        const policies = said.filter((code) => !remarked.includes(code)).sort()
        if (policies.join() !== rules.join()) differing.push({ from: subject.from, policies, rules })
      }
      return differing.length === 0
    }
    // The API server activates new policies one by one within seconds.
    await eventually('they agree', compare, 30_000).catch((error: unknown) => {
      expect(differing).toEqual([])
      throw error
    })
    expect([...fired].sort()).toEqual(covered.map(({ code }) => code).sort())
    expect(admitted).toBeGreaterThan(200)
  })

  it('ignore objects that another object controls', async () => {
    const zombie = {
      restartPolicy: 'Never',
      containers: [
        { name: 'work', image: 'busybox' },
        { name: 'docker', image: 'docker:dind' },
      ],
    }
    const owner = { apiVersion: 'batch/v1', kind: 'Job', name: 'x', uid: 'x', controller: true }
    const warningsOf = async (metadata: object) => {
      const pod = object('v1', 'Pod', { name: 'x', namespace, ...metadata }, { spec: zombie })
      return (await kubernetes.create(pods, pod, { dryRun: true })).warnings
    }
    expect((await warningsOf({})).join()).toContain('POD101')
    expect(await warningsOf({ ownerReferences: [owner] })).toEqual([])
  })

  it('refuse objects if their binding says so', async () => {
    const bare = { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'a', image: 'b' }] } } }
    const job = object('batch/v1', 'Job', { name: 'x', namespace }, { spec: bare })
    const name = installed(nameOf('JOB201', 'ttl-missing'))
    const deny = { type: 'merge', body: { spec: { validationActions: ['Deny', 'Audit'] } } } as const
    await kubernetes.patch(bindingKind, { name }, deny)
    await eventually('the Job is refused', async () => {
      const error = await kubernetes.create(jobs, job, { dryRun: true }).then(
        () => undefined,
        (thrown: unknown) => thrown,
      )
      return error instanceof KubernetesError && error.message.includes('JOB201: ')
    })
    const error = await refusal(kubernetes.create(jobs, job, { dryRun: true }), 'invalid')
    expect(error.message).toContain(`ValidatingAdmissionPolicy '${name}'`)
  })

  it('cannot see a misplaced TTL, because the API server drops the field and warns of it itself', async () => {
    const spec = { restartPolicy: 'Never', containers: [{ name: 'a', image: 'b' }], ttlSecondsAfterFinished: 60 }
    const job = object(
      'batch/v1',
      'Job',
      { name: 'x', namespace },
      { spec: { ttlSecondsAfterFinished: 600, template: { spec } } },
    )
    const { object: stored, warnings } = await kubernetes.create(jobs, job, { dryRun: true })
    expect(warnings).toEqual(['unknown field "spec.template.spec.ttlSecondsAfterFinished"'])
    expect(JSON.stringify(stored)).not.toContain('"ttlSecondsAfterFinished":60,')
  })
}

function resourceOf({ fact }: Subject): Resource | undefined {
  const { apiVersion, kind } = fact.object
  const [version = '', group = ''] = apiVersion.split('/').reverse()
  const plural = `${kind.toLowerCase()}s`
  const isMatched = policies.some(({ spec }) =>
    spec.matchConstraints.resourceRules.some(
      (rule) => rule.apiGroups.includes(group) && rule.resources.includes(plural),
    ),
  )
  return isMatched ? { group, version, plural, kind, namespaced: true } : undefined
}

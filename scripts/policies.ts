// Writes the doctor's rules as admission policies: each packages/doctor/src/rules/<slug>.cel with its definitions from packages/doctor/src/admission.cel.
import { existsSync, readFileSync } from 'node:fs'
import type { Rule } from '@dayfly/doctor/rule'
import { catalogue } from '@dayfly/doctor/rules/catalogue'

/** Returns the text of the file with all policies. */
export function policyBundle(): string {
  return [head, ...catalogue.flatMap((rule) => policy(rule) ?? [])].join('---\n')
}

/** Returns why a rule for files has no policy; undefined if it has one, or if the rule is only for clusters. */
export function whyNoPolicy(rule: Rule): string | undefined {
  if (hasPolicy(rule) || !rule.modes.includes('static')) return undefined
  return reasonsForNoPolicy[rule.slug]
}

export function hasPolicy({ slug }: Rule): boolean {
  return existsSync(sourceOf(slug))
}

const reasonsForNoPolicy: Readonly<Record<string, string>> = {
  'init-restart-policy-invalid':
    'depends on the version of the API server, which CEL cannot read; `daemon-as-blocking-init` covers daemons in every version',
  'sidecar-unsupported-version': 'depends on the versions of the API server and the nodes, which CEL cannot read',
  'ttl-misplaced': 'before admission, the API server drops an unknown field and warns about it',
  'duplicate-name': 'before admission, the API server refuses such a pod itself',
  'docker-root-shared': 'the place of the data depends on scripts and files that CEL cannot read',
  'runner-set-invalid': 'the definition of RunnerSet already refuses such a set',
  'version-skew': 'compares objects, but CEL sees only one object at a time',
  'finalizer-deadlock-static': 'compares objects, but CEL sees only one object at a time',
}

const head = `# Made from packages/doctor/src/rules/*.cel and packages/doctor/src/admission.cel.
# Rules of "dayfly doctor" as admission policies (Kubernetes 1.30 and later): kubectl apply -f FILE
# They warn and audit, or only audit if the severity is info. They refuse nothing. To refuse what one of them finds:
#   kubectl patch validatingadmissionpolicybinding NAME --type merge -p '{"spec":{"validationActions":["Deny","Audit"]}}'
# They skip objects that another object controls. For the rules without a policy, see docs/rules/README.md.
`

type Kind = { readonly group: string; readonly version: string; readonly plural: string }

const kinds: Readonly<Record<string, Kind>> = {
  Pod: { group: '', version: 'v1', plural: 'pods' },
  Job: { group: 'batch', version: 'v1', plural: 'jobs' },
  CronJob: { group: 'batch', version: 'v1', plural: 'cronjobs' },
  Deployment: { group: 'apps', version: 'v1', plural: 'deployments' },
  StatefulSet: { group: 'apps', version: 'v1', plural: 'statefulsets' },
  DaemonSet: { group: 'apps', version: 'v1', plural: 'daemonsets' },
  AutoscalingRunnerSet: { group: 'actions.github.com', version: 'v1alpha1', plural: 'autoscalingrunnersets' },
  RunnerSet: { group: 'dayfly.dev', version: 'v1alpha1', plural: 'runnersets' },
  PodDisruptionBudget: { group: 'policy', version: 'v1', plural: 'poddisruptionbudgets' },
}
const withPods = Object.keys(kinds).filter((kind) => kind !== 'PodDisruptionBudget')

function policy(rule: Rule): string | undefined {
  if (!hasPolicy(rule)) return undefined
  const { notes, on, hazard } = readHazard(rule.slug)
  const name = `${rule.code.toLowerCase()}-${rule.slug}.dayfly.dev`
  return `${notes.map((note) => `# ${note}\n`).join('')}apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata:
  name: ${name}
spec:
  failurePolicy: Ignore
  matchConstraints:
    resourceRules:
${on.map(matching).join('')}  matchConditions:
    - name: not-controlled
      expression: "!object.metadata.?ownerReferences.orValue([]).exists(owner, owner.?controller.orValue(false))"
${variablesOf(hazard)}  validations:
    - expression: |-
${indented(`!(\n${hazard}\n)`, 8)}
      message: ${JSON.stringify(`${rule.code}: ${rule.title}. See: dayfly doctor explain ${rule.slug}`)}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata:
  name: ${name}
spec:
  policyName: ${name}
  validationActions: ${rule.severity === 'info' ? '[Audit]' : '[Warn, Audit]'}
`
}

/** Returns the resource rule for a kind. Pods are checked only on creation: later, only the kubelet and controllers change them. */
function matching(kind: string): string {
  const found = kinds[kind]
  if (!found) throw new Error(`There is no policy for ${kind}. Add the kind to scripts/policies.ts.`)
  return `      - apiGroups: ["${found.group}"]
        apiVersions: [${found.version}]
        operations: ${kind === 'Pod' ? '[CREATE]' : '[CREATE, UPDATE]'}
        resources: [${found.plural}]
`
}

/** Reads a rule's expression. A comment `On: Kind, Kind.` limits it to these kinds; without it, the policy checks every kind with pods. */
function readHazard(slug: string) {
  const lines = readFileSync(sourceOf(slug), 'utf8').trim().split('\n')
  const comments = lines.filter((line) => line.startsWith('// ')).map((line) => line.slice(3))
  const on = comments.flatMap((line) => /^On: (.+)\.$/.exec(line)?.[1]?.split(', ') ?? [])
  return {
    notes: comments.filter((line) => !line.startsWith('On: ')),
    on: on.length > 0 ? on : withPods,
    hazard: lines.filter((line) => !line.startsWith('// ')).join('\n'),
  }
}

/** Returns the variables that the expression needs, directly or through others, in the order of their definition. */
function variablesOf(hazard: string): string {
  const definitions = readDefinitions()
  const needed = new Set<string>()
  const need = (expression: string): void => {
    for (const [, name = ''] of expression.matchAll(/\bvariables\.(\w+)/g)) {
      const definition = definitions.get(name)
      if (definition === undefined) throw new Error(`packages/doctor/src/admission.cel does not define ${name}`)
      if (!needed.has(name)) need(definition)
      needed.add(name)
    }
  }
  need(hazard)
  if (needed.size === 0) return ''
  const written = [...definitions]
    .filter(([name]) => needed.has(name))
    .map(([name, expression]) => `    - name: ${name}\n      expression: |-\n${indented(expression, 8)}\n`)
  return `  variables:\n${written.join('')}`
}

function readDefinitions(): ReadonlyMap<string, string> {
  const text = readFileSync(new URL('../packages/doctor/src/admission.cel', import.meta.url), 'utf8').replace(
    /^\/\/.*\n/gm,
    '',
  )
  const blocks = text.split(/\n{2,}/).filter((block) => block.trim() !== '')
  return new Map(
    blocks.map((block) => {
      const [, name = '', expression = ''] = /^\s*(\w+) =\s*([\s\S]+?)\s*$/.exec(block) ?? []
      if (name === '') throw new Error(`This block of packages/doctor/src/admission.cel is not a definition: ${block}`)
      return [name, expression]
    }),
  )
}

function indented(text: string, by: number): string {
  return text
    .split('\n')
    .map((line) => ' '.repeat(by) + line)
    .join('\n')
}

function sourceOf(slug: string): URL {
  return new URL(`../packages/doctor/src/rules/${slug}.cel`, import.meta.url)
}

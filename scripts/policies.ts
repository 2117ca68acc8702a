// The doctor's rules as admission policies: each src/doctor/rules/<slug>.cel, with the definitions of src/doctor/admission.cel that it needs.
import { existsSync, readFileSync } from 'node:fs'
import type { Rule } from '../src/doctor/rule.ts'
import { catalogue } from '../src/doctor/rules/catalogue.ts'

/** The file of the bundle. */
export function policyBundle(): string {
  return [head, ...catalogue.flatMap((rule) => policy(rule) ?? [])].join('---\n')
}

/** Why a rule for files has no policy, by slug; undefined where it has one, or is for clusters only. */
export function whyNoPolicy(rule: Rule): string | undefined {
  if (hasPolicy(rule) || !rule.modes.includes('static')) return undefined
  return unsaid[rule.slug]
}

export function hasPolicy({ slug }: Rule): boolean {
  return existsSync(sourceOf(slug))
}

const unsaid: Readonly<Record<string, string>> = {
  'init-restart-policy-invalid':
    'depends on the version of the API server, which CEL cannot ask; for a daemon, `daemon-as-blocking-init` says it in every version',
  'sidecar-unsupported-version': 'depends on the versions of the API server and the nodes, which CEL cannot ask',
  'ttl-misplaced':
    'the API server drops a field that it does not know, and warns of it, before admission sees the object',
  'version-skew': 'compares objects; CEL sees one at a time',
  'finalizer-deadlock-static': 'compares objects; CEL sees one at a time',
}

const head = `# Made by scripts/generate-rules.ts from src/doctor/rules/*.cel and src/doctor/admission.cel.
# Rules of "dayfly doctor" as admission policies (Kubernetes 1.30 and later): kubectl apply -f deploy/doctor-policies.yaml
# They warn and audit, or only audit where the rule is a hint, and refuse nothing. To refuse what one of them finds:
#   kubectl patch validatingadmissionpolicybinding NAME --type merge -p '{"spec":{"validationActions":["Deny","Audit"]}}'
# An object that another one controls is not judged again. What has no policy, and why: docs/rules/README.md.
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
      message: ${JSON.stringify(`${rule.code}: ${rule.title}. Read on: dayfly doctor explain ${rule.slug}`)}
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

/** Nearly all of a pod may not change, and the rest is the kubelet's and the controllers' business. */
function matching(kind: string): string {
  const found = kinds[kind]
  if (!found) throw new Error(`no policy can be on ${kind}: scripts/policies.ts does not know it`)
  return `      - apiGroups: ["${found.group}"]
        apiVersions: [${found.version}]
        operations: ${kind === 'Pod' ? '[CREATE]' : '[CREATE, UPDATE]'}
        resources: [${found.plural}]
`
}

/** Its comment may say `On: Kind, Kind.`; else it is on every kind that has pods. */
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

/** Those that the expression needs, also through others, in the order of their definition. */
function variablesOf(hazard: string): string {
  const definitions = readDefinitions()
  const needed = new Set<string>()
  const need = (expression: string): void => {
    for (const [, name = ''] of expression.matchAll(/\bvariables\.(\w+)/g)) {
      const definition = definitions.get(name)
      if (definition === undefined) throw new Error(`src/doctor/admission.cel does not define ${name}`)
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
  const text = readFileSync(new URL('../src/doctor/admission.cel', import.meta.url), 'utf8').replace(/^\/\/.*\n/gm, '')
  const blocks = text.split(/\n{2,}/).filter((block) => block.trim() !== '')
  return new Map(
    blocks.map((block) => {
      const [, name = '', expression = ''] = /^\s*(\w+) =\s*([\s\S]+?)\s*$/.exec(block) ?? []
      if (name === '') throw new Error(`not a definition: ${block}`)
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
  return new URL(`../src/doctor/rules/${slug}.cel`, import.meta.url)
}

// The objects for tests of admission policies: those of every rule's page and of the samples, as written and as ARC's unvalidated custom resource.
import { readdirSync, readFileSync } from 'node:fs'
import { decodeFiles } from '@dayfly/doctor/engine/examine'
import { gatherFacts } from '@dayfly/doctor/engine/gather-facts'
import { runRules } from '@dayfly/doctor/engine/run-rules'
import type { ObjectFact } from '@dayfly/doctor/facts'
import { viewPods } from '@dayfly/doctor/pods/pod-views'
import { filler } from '@dayfly/doctor/read/template/template-value'
import type { Rule } from '@dayfly/doctor/rule'
import { readRuleFixtures } from '@dayfly/doctor/rule-fixtures'
import { catalogue } from '@dayfly/doctor/rules/catalogue'
import { undeclaredVersion } from '@dayfly/doctor/version-fact'
import type { KubeObject } from '@dayfly/kubernetes/types'
import { hooks, inits } from './policy-scripts.ts'

export type Subject = {
  /** The file that contains the object. */
  readonly from: string
  readonly fact: ObjectFact
}

type Fields = Readonly<Record<string, unknown>>

const samples = new URL('../../packages/doctor/src/samples/', import.meta.url)

export function allSubjects(): readonly Subject[] {
  const written = [...catalogue.flatMap(ofPage), ...readdirSync(samples).flatMap(ofSample)]
  return [
    ...written.flatMap((subject) => [subject, ...asRunnerSet(subject)]),
    ...hooks.map(ofHook),
    ...inits.map(ofInit),
  ]
}

/**
 * Returns the codes of those rules that have a finding for the object alone. A rule that makes its finding a remark, because of what
 * it knows of the object, leaves the policy free: its code is only in `remarked`.
 */
export function codesOf({ fact }: Subject, among: readonly Rule[]) {
  const facts = { version: undeclaredVersion, objects: [fact], pods: viewPods([fact]), live: undefined }
  const { hits } = runRules(facts, among)
  const codes = (found: typeof hits) => [...new Set(found.map(({ rule }) => rule.code))].sort()
  const reported = codes(hits.filter(({ rule, hit }) => hit.severity !== 'info' || rule.severity === 'info'))
  return { reported, remarked: codes(hits).filter((code) => !reported.includes(code)) }
}

function ofPage({ slug }: Rule): readonly Subject[] {
  return readRuleFixtures(slug).flatMap(({ name, kind, text, withoutHazard, fixed }) =>
    Object.entries({ [kind]: text, withoutHazard, fixed }).flatMap(([as, version]) =>
      version === undefined ? [] : decode(`${slug}, ${name} (${as})`, version),
    ),
  )
}

function ofSample(name: string): readonly Subject[] {
  return name.endsWith('.yaml') ? decode(`samples/${name}`, readFileSync(new URL(name, samples), 'utf8')) : []
}

function ofHook(hook: (typeof hooks)[number]): Subject {
  const command = typeof hook === 'string' ? ['sh', '-c', hook] : hook
  const app = { name: 'app', image: 'registry.example/app:1', lifecycle: { postStart: { exec: { command } } } }
  return ofPod(`hook ${JSON.stringify(hook)}`, { containers: [app] })
}

function ofInit(init: object): Subject {
  const containers = [{ name: 'work', image: 'registry.example/work:1' }]
  return ofPod(`init ${JSON.stringify(init)}`, { initContainers: [{ name: 'init', ...init }], containers })
}

function ofPod(from: string, spec: Fields): Subject {
  const object = { apiVersion: 'v1', kind: 'Pod', namespace: undefined, name: 'p' }
  return { from, fact: { object, document: 0, raw: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec } } }
}

function decode(from: string, text: string): readonly Subject[] {
  const { objects } = gatherFacts(decodeFiles([{ path: 'x.yaml', text }]).flatMap((file) => file.objects))
  return objects.flatMap((fact) => {
    const isPlain = !JSON.stringify(fact.raw).includes(filler)
    return isPlain ? [{ from: `${from}, ${fact.object.kind}`, fact: { ...fact, raw: complete(fact) } }] : []
  })
}

/** Adds the required fields that pages leave out, and removes fields that another cluster has set. */
function complete({ object, raw }: ObjectFact): Fields {
  const { name, labels, annotations, finalizers } = asFields(raw['metadata'])
  const metadata = { name: name ?? 'unnamed', labels, annotations, finalizers }
  const bare = { ...raw, apiVersion: object.apiVersion, kind: object.kind, metadata, status: undefined }
  if (!object.apiVersion.startsWith('apps/')) return bare
  const spec = asFields(raw['spec'])
  const template = asFields(spec['template'])
  const allLabels = { app: 'it', ...asFields(asFields(template['metadata'])['labels']) }
  const withLabels = { ...template, metadata: { ...asFields(template['metadata']), labels: allLabels } }
  return { ...bare, spec: { ...spec, selector: { matchLabels: { app: 'it' } }, template: withLabels } }
}

/** Puts the object's pod template into a custom resource of ARC, which accepts even templates that the API server would refuse. */
function asRunnerSet({ from, fact }: Subject): readonly Subject[] {
  const [view] = viewPods([fact])
  if (!view || fact.object.kind === 'AutoscalingRunnerSet') return []
  const at = (path: readonly (string | number)[]) => path.reduce<Fields>((here, key) => asFields(here[key]), fact.raw)
  const { labels, annotations } = asFields(at(view.path.slice(0, -1))['metadata'])
  const template = { metadata: { labels, annotations }, spec: at(view.path) }
  const apiVersion = 'actions.github.com/v1alpha1'
  const kind = 'AutoscalingRunnerSet'
  const raw = { apiVersion, kind, metadata: { name: 'set' }, spec: { template } }
  const object = { ...fact.object, apiVersion, kind, name: 'set' }
  return [{ from: `${from} as ${kind}`, fact: { object, document: fact.document, raw } }]
}

/** Returns the object to create in this namespace. */
export function objectIn(namespace: string, { fact }: Subject): KubeObject {
  const metadata = { ...asFields(fact.raw['metadata']), namespace }
  return { ...fact.raw, metadata } as unknown as KubeObject
}

function asFields(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

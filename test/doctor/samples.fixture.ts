// The doctor's samples in the form in which clusters receive them from template engines, charts and ARC.
import { readFileSync } from 'node:fs'
import { fieldsAt, valueAt } from '@dayfly/kit/read-json'
import { parseAllDocuments } from 'yaml'

export type Manifest = {
  readonly kind: string
  readonly metadata: { readonly name: string }
  readonly spec: Record<string, unknown>
}

export function sample(name: string): string {
  return readFileSync(new URL(`../../packages/doctor/src/samples/${name}`, import.meta.url), 'utf8')
}

/** Renders a job template as a template engine does: block markers disappear, values are filled in. */
export function rendered(text: string): string {
  return text
    .replace(/\{#[\s\S]*?#\}/g, '')
    .replace(/^.*\{%.*$/gm, '')
    .replace(/<%(?:requests|limits)_memory%>/g, '64Mi')
    .replace(/<%(?:requests|limits)_cpu%>/g, '10m')
    .replace(/<%oauth_client_\w+%>/g, 'YQ==')
    .replace(/<%[a-z0-9_]+%>/g, 'a1')
    .replace(/\{\{[^}]*\}\}/g, 'a1')
}

export function manifests(text: string): readonly Manifest[] {
  const read = parseAllDocuments(text).map(
    (document) => document.toJS() as Manifest & { readonly items?: readonly Manifest[] },
  )
  return read.flatMap((manifest) => manifest.items ?? [manifest])
}

/** Returns the value at a path of a file's last document. */
function part(text: string, ...path: readonly (string | number)[]): unknown {
  return valueAt(manifests(text).at(-1), ...path)
}

const templateOf = (text: string) => String(part(text, 'data', 'job.yaml.template'))

/** Each sample, with the way from the file to the template that the autoscaler reads. */
export const jobTemplates: readonly (readonly [string, (text: string) => string])[] = [
  ['s0-zombie.yaml', (text) => text],
  ['bitbucket-list.yaml.template', (text) => text],
  ['bitbucket-config-map.yaml', templateOf],
  ['bitbucket-values.yaml', (text) => templateOf(rendered(String(part(text, 'extraManifests', 0))))],
]

/** The pod that ARC makes from a runner's template: the same spec, never restarted. */
export function podOfRunner(template: unknown, namespace = 'default') {
  const metadata = { name: 'builds-1', namespace }
  return { apiVersion: 'v1', kind: 'Pod', metadata, spec: { restartPolicy: 'Never', ...fieldsAt(template, 'spec') } }
}

/** Each sample, with the way to the template of ARC and its chart, and the fate of the pod. */
export const runnerSets: readonly (readonly [string, (text: string) => unknown, RegExp])[] = [
  [
    'arc-dind-ordinary.yaml',
    (text) => part(text, 'spec', 'template'),
    /Running dind=running,started,ready runner=Completed\(0\)/,
  ],
  [
    'arc-values-ordinary.yaml',
    (text) => part(text, 'gha-runner-scale-set', 'template'),
    /Running .*dind=running,started,ready runner=Completed\(0\)/,
  ],
  ['s1-removed.yaml', (text) => part(text, 'spec', 'ephemeralRunnerSpec'), /Pending dind=running/],
  ['s1-release.yaml', (text) => part(text, 'spec', 'values', 'template'), /Pending dind=running/],
]

/** Returns the template of a set, which is at the same path as in an AutoscalingRunnerSet. */
export function templateOfSet(text: string): unknown {
  return part(text, 'spec', 'template')
}

// Renders the job template for one group, and finds its Secret and its Job (docs/reference/bitbucket.md#s4-4).
import { compileTemplate, type TemplateVariables } from '../template.ts'
import type { Group, Mode } from './configuration.ts'
import { labelProblems } from './label-problems.ts'
import type { Problem } from './problem.ts'
import { readYaml } from './yaml/read.ts'
import { below, isMapping, isTimestamp, leavesOf, type Mapping, type Scalar, type Value } from './yaml/value.ts'

export type Item = { readonly path: string; readonly value: Mapping }

export type JobTemplate = {
  readonly list: Mapping
  readonly secret: Item
  readonly job: Item
  /** The paths of values that belong to one runner: its UUID, its credential, or a text made from these. */
  readonly ofOneRunner: ReadonlySet<string>
  /** The variables that the template uses for this group. */
  readonly used: ReadonlySet<string>
}

export type JobTemplateRead =
  | { readonly ok: true; readonly template: JobTemplate }
  | { readonly ok: false; readonly problems: readonly Problem[] }

/** Compiles the template once, for all groups. */
export function compileJobTemplate(text: string, mode: Mode): (group: Group) => JobTemplateRead {
  const render = compileTemplate(text)
  const read = (variables: TemplateVariables): ListRead => {
    const rendered = render(variables)
    if (!rendered.ok) return refused('', `Line ${rendered.line} of the template: ${rendered.sentence}. Correct it.`)
    const yaml = readYaml(rendered.text)
    if (!yaml.ok) return refused('', `The rendered template is not valid YAML: ${yaml.sentence}. Correct the template.`)
    return { ok: true, text: rendered.text, list: yaml.value }
  }
  return (group) => {
    const variables = variablesOf(group, mode, 'a')
    const first = read(variables)
    if (!first.ok) return first
    const second = read(variablesOf(group, mode, 'b'))
    if (!second.ok) return second
    const items = findItems(first.list, mode)
    if (!items.ok) return items
    const used = Object.keys(variables).filter((name) => {
      const other = render({ ...variables, [name]: { another: 'value' } })
      return !other.ok || other.text !== first.text
    })
    const ofOneRunner = differentPaths(first.list, second.list)
    return { ok: true, template: { ...items, ofOneRunner, used: new Set(used) } }
  }
}

type ListRead =
  | { readonly ok: true; readonly text: string; readonly list: Value }
  | { readonly ok: false; readonly problems: readonly Problem[] }

function refused(path: string, sentence: string): { readonly ok: false; readonly problems: readonly Problem[] } {
  return { ok: false, problems: [{ path, sentence }] }
}

/** Two renderings with other letters differ at each place that depends on one runner. */
function variablesOf(group: Group, mode: Mode, letter: 'a' | 'b'): TemplateVariables {
  const uuid = [8, 4, 4, 4, 12].map((length) => letter.repeat(length)).join('-')
  const { requests, limits } = group.resources
  const credential = letter === 'a' ? 'YWFhYWFh' : 'YmJiYmJi'
  return {
    account_uuid: uuid,
    repository_uuid: group.repository === undefined ? null : uuid,
    runner_uuid: uuid,
    oauth_client_id_base64: credential,
    oauth_client_secret_base64: credential,
    runner_namespace: group.namespace,
    requests_memory: requests.memory,
    requests_cpu: requests.cpu,
    limits_memory: limits.memory,
    limits_cpu: limits.cpu,
    ...(mode === 'strict' ? {} : { node_selector: Object.fromEntries(group.nodeSelector) }),
  }
}

/** Returns the paths of the first value whose scalar the second value does not have. */
function differentPaths(one: Value, other: Value): ReadonlySet<string> {
  const others = scalarsOf(other, '', new Map())
  return new Set(
    [...scalarsOf(one, '', new Map())].filter(([path, value]) => others.get(path) !== value).map(([path]) => path),
  )
}

function scalarsOf(value: Value, path: string, found: Map<string, string>): ReadonlyMap<string, string> {
  if (Array.isArray(value)) for (const [index, item] of value.entries()) scalarsOf(item, below(path, index), found)
  else if (isMapping(value)) for (const [key, item] of value) scalarsOf(item, below(path, key), found)
  else found.set(path, scalarText(value as Scalar))
  return found
}

function scalarText(value: Scalar): string {
  return isTimestamp(value) ? value.timestamp : `${typeof value} ${value}`
}

type Items =
  | { readonly ok: true; readonly list: Mapping; readonly secret: Item; readonly job: Item }
  | { readonly ok: false; readonly problems: readonly Problem[] }

function findItems(list: Value, mode: Mode): Items {
  if (!isMapping(list)) return refused('', 'The template renders no List. Give it kind: List and items.')
  const values = list.get('items')
  if (!Array.isArray(values)) return refused('items', 'The List has no items. Give it a Secret and a Job.')
  const problems = values.flatMap((value: Value, index: number) => itemProblems(value, below('items', index)))
  if (problems.length > 0) return { ok: false, problems }
  const items = values.map((value, index) => ({ path: below('items', index), value: value as Mapping }))
  const order = mode === 'strict' ? orderProblems(items) : []
  if (order.length > 0) return { ok: false, problems: order }
  const secret = items.find(({ value }) => value.get('kind') === 'Secret')
  const job = items.find(({ value }) => value.get('kind') === 'Job')
  if (!secret) return refused('items', 'The List has no Secret. Add the Secret of the runner.')
  if (!job) return refused('items', 'The List has no Job. Add the Job of the runner.')
  return { ok: true, list, secret, job }
}

/** The official tool creates the first item as the Secret and the second one as the Job. */
function orderProblems(items: readonly Item[]): readonly Problem[] {
  return ['Secret', 'Job'].flatMap((kind, index) => {
    const found = items[index]?.value.get('kind')
    if (found === kind) return []
    return [
      {
        path: below('items', index),
        sentence: `The official tool creates this item as the ${kind}. Change the order.`,
      },
    ]
  })
}

function itemProblems(value: Value, path: string): readonly Problem[] {
  const kind = isMapping(value) ? value.get('kind') : undefined
  if (isMapping(value) && kind === 'Secret') return labelProblems(value, path, ['metadata', 'labels'])
  if (isMapping(value) && kind === 'Job') return labelProblems(value, path, ['spec', 'template', 'metadata', 'labels'])
  const what = typeof kind === 'string' ? `of the kind ${kind.slice(0, 80)}` : 'without a kind'
  const sentence = `The List has an item ${what}, and only a Secret and a Job are possible. Apply it once by itself, and remove it here.`
  return [{ path, sentence }]
}

/** Returns whether a value has a part that belongs to one runner. */
export function isOfOneRunner({ ofOneRunner }: Pick<JobTemplate, 'ofOneRunner'>, path: string, value: Value): boolean {
  return leavesOf(value, path).some((leaf) => ofOneRunner.has(leaf))
}

// Reads the resources of Terraform's provider `kubernetes` that hold pods, and gives them the shape of the objects that they make.
// https://registry.terraform.io/providers/hashicorp/kubernetes/latest/docs
import { Pair, Scalar, YAMLMap, YAMLSeq } from 'yaml'
import { filler } from '../template/template-value.ts'
import type { Span } from '../yaml/span.ts'
import { type Attribute, type Block, readBody } from './read-block.ts'
import { type Budget, Malformed, type Node, type ReadObject } from './read-object.ts'
import { skipBlank, skipPart } from './skip.ts'

/** A text with more of them is not for Terraform. */
const malformedMax = 20

type Kind = { readonly apiVersion: string; readonly kind: string }

const kinds: Readonly<Record<string, Kind>> = {
  kubernetes_pod: { apiVersion: 'v1', kind: 'Pod' },
  kubernetes_job: { apiVersion: 'batch/v1', kind: 'Job' },
  kubernetes_cron_job: { apiVersion: 'batch/v1', kind: 'CronJob' },
  kubernetes_deployment: { apiVersion: 'apps/v1', kind: 'Deployment' },
  kubernetes_stateful_set: { apiVersion: 'apps/v1', kind: 'StatefulSet' },
  kubernetes_daemonset: { apiVersion: 'apps/v1', kind: 'DaemonSet' },
  kubernetes_daemon_set: { apiVersion: 'apps/v1', kind: 'DaemonSet' },
  kubernetes_replication_controller: { apiVersion: 'v1', kind: 'ReplicationController' },
}

/** Blocks that may repeat, with the field that lists them. */
const lists: Readonly<Record<string, string>> = {
  container: 'containers',
  init_container: 'initContainers',
  env: 'env',
  env_from: 'envFrom',
  port: 'ports',
  volume: 'volumes',
  volume_mount: 'volumeMounts',
  volume_device: 'volumeDevices',
  toleration: 'tolerations',
  image_pull_secrets: 'imagePullSecrets',
  host_aliases: 'hostAliases',
  readiness_gate: 'readinessGates',
  topology_spread_constraint: 'topologySpreadConstraints',
  volume_claim_template: 'volumeClaimTemplates',
  match_expressions: 'matchExpressions',
  node_selector_term: 'nodeSelectorTerms',
  http_header: 'httpHeaders',
  items: 'items',
  sources: 'sources',
}

/** Fields with numbers and booleans, which Terraform also takes as strings. */
const typed =
  /^(?:replicas|parallelism|completions|backoff_limit|privileged|suspend|host_(?:pid|ipc|network)|share_process_namespace|.*_(?:seconds|seconds_after_finished|threshold|history_limit))$/

type PodResource = ReadObject & { readonly type: string }
type PodResources = { readonly resources: readonly PodResource[]; readonly malformed: readonly Malformed[] }

/** Reads them all. `malformed`: those that could not be read. */
export function findPodResources(text: string, budget: Budget): PodResources {
  const resources: PodResource[] = []
  const malformed: Malformed[] = []
  const header = /resource[ \t]+"(kubernetes_[a-z_]+?)(?:_v1)?"[ \t]+"[\w-]+"[ \t\r\n]*\{/y
  for (let at = skipBlank(text, 0, true); at < text.length; at = skipBlank(text, at, true)) {
    header.lastIndex = at
    const match = header.exec(text)
    const type = match?.[1] ?? ''
    const kind = Object.hasOwn(kinds, type) ? kinds[type] : undefined
    if (!match || !kind) {
      at = skipPart(text, at)
      continue
    }
    const start = at
    at = header.lastIndex
    try {
      const { items, end } = readBody(text, at - 1, { budget, depth: 0 })
      at = end
      resources.push({ ...objectOf(items, kind, { start, end }), type })
    } catch (error) {
      if (!(error instanceof Malformed)) throw error
      malformed.push(error)
      if (malformed.length === malformedMax) break
    }
  }
  return { resources, malformed }
}

type Unknowns = { readonly unknown: Span[]; readonly unread: Span[] }

function objectOf(items: Block['items'], { apiVersion, kind }: Kind, span: Span): ReadObject {
  const found: Unknowns = { unknown: [], unread: [] }
  // Everything else of a resource is Terraform's own: how often it exists, how long to wait.
  const own = items.filter(({ name }) => name === 'metadata' || name === 'spec')
  const node = mapOf(own, { span, inside: '' }, found)
  const title = { start: span.start, end: span.start + 'resource'.length }
  node.items.unshift(
    ...Object.entries({ apiVersion, kind }).map(
      ([key, value]) => new Pair(placed(new Scalar(key), title), placed(new Scalar(value), title)),
    ),
  )
  return { node, end: span.end, ...found }
}

type Around = { readonly span: Span; readonly inside: string }

function mapOf(items: Block['items'], { span, inside }: Around, found: Unknowns): YAMLMap {
  const map = placed(new YAMLMap(), span)
  const sequences = new Map<string, YAMLSeq>()
  for (const item of items) {
    if (item.is === 'attribute') {
      map.items.push(new Pair(keyOf(camelCase(item.name), item.at), read(item, found)))
      continue
    }
    const name = item.name === 'dynamic' ? (item.label ?? '') : item.name
    const list = inside === 'ephemeral' || !Object.hasOwn(lists, name) ? undefined : lists[name]
    const value =
      item.name === 'dynamic' ? computed(item, found) : mapOf(item.items, { span: item, inside: name }, found)
    if (list === undefined) {
      map.items.push(new Pair(keyOf(camelCase(name), item.at), value))
      continue
    }
    const sequence = sequences.get(list) ?? placed(new YAMLSeq(), item)
    if (!sequences.has(list)) map.items.push(new Pair(keyOf(list, item.at), sequence))
    sequences.set(list, sequence)
    sequence.items.push(value)
  }
  return map
}

/** A loop makes these blocks, so neither their number nor their content is known. */
function computed(block: Block, { unknown }: Unknowns): Scalar {
  unknown.push(block)
  return placed(new Scalar(filler), block)
}

function read({ name, value }: Attribute, found: Unknowns): Node {
  found.unknown.push(...value.unknown)
  found.unread.push(...value.unread)
  const { node } = value
  const text = node instanceof Scalar && typed.test(name) ? String(node.value) : ''
  if (/^(?:-?\d{1,15}|true|false)$/.test(text) && node instanceof Scalar) node.value = JSON.parse(text)
  return node
}

/** Writes `host_pid` as `hostPID`, and other names as the API does. */
function camelCase(name: string): string {
  return name
    .replace(/_(pid|ipc|ip)(?=_|$)/g, (_, word: string) => word.toUpperCase())
    .replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
}

function keyOf(name: string, { start, end }: Span): Scalar {
  return placed(new Scalar(name), { start, end })
}

function placed<Placed extends Node>(node: Placed, { start, end }: Span): Placed {
  node.range = [start, end, end]
  return node
}

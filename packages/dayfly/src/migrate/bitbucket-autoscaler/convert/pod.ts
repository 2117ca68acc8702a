// Converts the pod of a template's Job to the template of a RunnerSet.
import type { JsonObject } from '@dayfly/kit/read-json'
import { isOfOneRunner, type JobTemplate } from '../job-template.ts'
import { below, isMapping, type Mapping, plainOf, type Value } from '../yaml/value.ts'
import { convertContainer } from './container.ts'
import { type DefaultPod, isEmpty, isSame } from './default-pod.ts'
import { hasOwnCommand } from './engine.ts'
import type { Ledger } from './ledger.ts'
import { type FoundContainer, findContainers } from './roles.ts'
import type { Source } from './source.ts'
import { convertVolumes, mountsOf } from './volumes.ts'

export type ConvertedPod = {
  readonly hasRunner: boolean
  readonly docker: 'none' | 'sidecar'
  readonly metadata: JsonObject
  readonly spec: JsonObject
}

const listed: ReadonlySet<string> = new Set(['containers', 'initContainers', 'volumes'])

/** @param path the place of the PodTemplateSpec in the List */
export function convertPod(
  pod: Mapping,
  path: string,
  {
    template,
    ledger,
    defaults,
  }: { readonly template: JobTemplate; readonly ledger: Ledger; readonly defaults: DefaultPod },
): ConvertedPod {
  const spec = mapAt(pod, 'spec')
  const specPath = below(path, 'spec')
  const containers = findContainers(spec, specPath)
  const volumes = convertVolumes(spec.get('volumes'), below(specPath, 'volumes'), { template, ledger, containers })
  const docker = containers.find(({ role }) => role === 'docker')
  const hasDocker = docker !== undefined
  const source: Source = {
    template,
    ledger,
    defaults,
    hasDocker,
    hasOwnEngine: docker !== undefined && hasOwnCommand(docker.value),
    hasOwnWorkFolder: hasOwnWorkFolder(containers, volumes.gone),
    goneVolumes: volumes.gone,
  }
  const fields = convertFields(spec, specPath, source)
  const converted = containers.map((found) => ({ found, value: convertContainer(found, source) }))
  const listOf = (list: FoundContainer['list']) =>
    converted.filter(({ found }) => listFor(found) === list).flatMap(({ value }) => value ?? [])
  const metadata = convertMetadata(pod.get('metadata'), below(path, 'metadata'), source)
  noteRest(pod, path, ledger)
  return {
    hasRunner: containers.some(({ role }) => role === 'runner'),
    docker: hasDocker ? 'sidecar' : 'none',
    metadata,
    spec: withLists(fields, {
      initContainers: listOf('initContainers'),
      containers: listOf('containers'),
      volumes: volumes.kept,
    }),
  }
}

function mapAt(map: Mapping, key: string): Mapping {
  const value = map.get(key)
  return isMapping(value) ? value : new Map()
}

/** Docker becomes a native sidecar, and so does any other daemon that would keep the pod from ending. */
function listFor({ role, list }: FoundContainer): FoundContainer['list'] {
  return role === 'docker' || role === 'daemon' ? 'initContainers' : list
}

function withLists(fields: JsonObject, lists: Readonly<Record<string, readonly unknown[]>>): JsonObject {
  return { ...fields, ...Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length > 0)) }
}

function hasOwnWorkFolder(containers: readonly FoundContainer[], gone: ReadonlyMap<string, string>): boolean {
  const runner = containers.find(({ role }) => role === 'runner')
  return (
    runner !== undefined &&
    mountsOf(runner.value).some((mount) => mount.get('mountPath') === '/tmp' && !gone.has(String(mount.get('name'))))
  )
}

function convertFields(spec: Mapping, path: string, { template, ledger, defaults }: Source): JsonObject {
  const out: Record<string, unknown> = {}
  for (const [key, value] of spec) {
    const at = below(path, key)
    const plain = plainOf(value)
    if (listed.has(key)) {
      if (!Array.isArray(value)) ledger.note('dropped', at, value, 'It is not a list.')
      else noteStrangeItems(value, at, ledger)
    } else if (key === 'restartPolicy') {
      ledger.note('dropped', at, value, 'The pod of a runner never restarts: each runner lives once.')
    } else if (isOfOneRunner(template, at, value)) {
      ledger.note('dropped', at, value, 'The value belongs to one runner, and the pods of a RunnerSet are alike.')
    } else if (isEmpty(plain)) ledger.note('kept', at, value, 'It sets nothing.')
    else if (isSame(defaults.spec[key], plain)) ledger.note('kept', at, value, "Dayfly's pod has the same value.")
    else {
      out[key] = plain
      ledger.note('kept', at, value, keptField(key))
    }
  }
  return out
}

function keptField(key: string): string {
  if (key !== 'serviceAccountName' && key !== 'serviceAccount') return `spec.template.spec.${key}`
  return `spec.template.spec.${key}. Dayfly mounts no token of it: set automountServiceAccountToken if the runner calls Kubernetes`
}

/** Containers and volumes that are no maps cannot be converted. The others note their own paths. */
function noteStrangeItems(list: readonly Value[], path: string, ledger: Ledger): void {
  if (list.length === 0) ledger.note('kept', path, list, 'It is empty.')
  for (const [index, item] of list.entries()) {
    if (!isMapping(item)) ledger.note('dropped', below(path, index), item, 'It is not a map.')
    else if (item.size === 0) ledger.note('dropped', below(path, index), item, 'It is empty.')
  }
}

const labelsOfAutoscaler: ReadonlySet<string> = new Set([
  'account_uuid',
  'repository_uuid',
  'runner_uuid',
  'runner_namespace',
])

function convertMetadata(metadata: Value | undefined, path: string, { template, ledger }: Source): JsonObject {
  if (!isMapping(metadata)) {
    if (metadata !== undefined) ledger.note('dropped', path, metadata, 'It is not a map.')
    return {}
  }
  const out: Record<string, unknown> = {}
  for (const [key, value] of metadata) {
    const at = below(path, key)
    if ((key !== 'labels' && key !== 'annotations') || !isMapping(value)) {
      ledger.note('dropped', at, value, 'Dayfly sets the metadata of its pods, except labels and annotations.')
      continue
    }
    const kept = [...value].filter(([name, text]) => {
      const place = below(at, name)
      const isOwn = key === 'labels' && labelsOfAutoscaler.has(name)
      const isOne = isOfOneRunner({ ofOneRunner: template.ofOneRunner }, place, text)
      if (isOwn)
        ledger.note('dropped', place, text, 'The old autoscaler finds its runners by it. Dayfly has its own labels.')
      else if (isOne)
        ledger.note('dropped', place, text, 'The value belongs to one runner, and the pods of a RunnerSet are alike.')
      else ledger.note('kept', place, text, `spec.template.metadata.${key}`)
      return !isOwn && !isOne
    })
    if (value.size === 0) ledger.note('kept', at, value, 'It is empty.')
    if (kept.length > 0) out[key] = plainOf(new Map(kept))
  }
  if (metadata.size === 0) ledger.note('kept', path, metadata, 'It is empty.')
  return out
}

function noteRest(pod: Mapping, path: string, ledger: Ledger): void {
  for (const [key, value] of pod) {
    if (key === 'metadata') continue
    ledger.note('dropped', below(path, key), value, 'A PodTemplateSpec has no such field.')
  }
}

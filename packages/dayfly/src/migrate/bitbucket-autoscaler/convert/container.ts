// Converts one container of a template. Only the differences from the same container of Dayfly's pod are written.
import { isJsonObject, type JsonObject } from '@dayfly/kit/read-json'
import { isOfOneRunner } from '../job-template.ts'
import { below, isMapping, type Mapping, plainOf, type Value } from '../yaml/value.ts'
import { dockerName, isEmpty, isSame, listOf, runnerName } from './default-pod.ts'
import { convertEngine } from './engine.ts'
import { convertEnvironment } from './environment.ts'
import type { FoundContainer, Role } from './roles.ts'
import type { Source } from './source.ts'

/** Returns the container for the RunnerSet's template; undefined if it says nothing that differs from Dayfly's pod. */
export function convertContainer({ path, value, role, list }: FoundContainer, source: Source): JsonObject | undefined {
  const standard = role === 'runner' ? source.defaults.runner : role === 'docker' ? source.defaults.docker : {}
  const out: Record<string, unknown> = { name: nameOf(value, path, role, source) }
  const isDocker = role === 'docker'
  if (isDocker) Object.assign(out, convertEngine(value, path, source))
  for (const [key, field] of value) {
    if (key === 'name' || (isDocker && (key === 'command' || key === 'args'))) continue
    const converted = convertField(key, field, below(path, key), { role, standard, source })
    if (converted !== undefined) out[key] = converted
  }
  if (isDocker) completeRequests(out)
  if (role === 'runner' && source.hasOwnEngine) out['env'] = withSocket(out['env'])
  if (role === 'daemon' && list === 'containers') out['restartPolicy'] = 'Always'
  const saysNothing = Object.keys(out).length === 1 && role !== 'other' && role !== 'daemon'
  return saysNothing ? undefined : out
}

function nameOf(value: Mapping, path: string, role: Role, { ledger }: Source): unknown {
  const name = value.get('name') ?? null
  const wanted = role === 'runner' ? runnerName : role === 'docker' ? dockerName : undefined
  if (!value.has('name')) return wanted
  const at = below(path, 'name')
  if (wanted === undefined) ledger.note('kept', at, name, 'A container of spec.template.spec with the same name.')
  else if (name === wanted) ledger.note('kept', at, name, `Dayfly's pod has the container ${wanted}.`)
  else ledger.note('changed', at, name, `Dayfly's container with this task has the name ${wanted}.`)
  return wanted ?? plainOf(name)
}

type Around = { readonly role: Role; readonly standard: JsonObject; readonly source: Source }

/** Returns the value to write; undefined if there is nothing to write. */
function convertField(key: string, value: Value, path: string, around: Around): unknown {
  const { role, standard, source } = around
  const { ledger } = source
  if (key === 'env') return unlessEmpty(convertEnvironment(value, path, around))
  if (key === 'volumeMounts') return unlessEmpty(convertMounts(value, path, around))
  const change = role === 'docker' ? changeOfDocker(key, value) : undefined
  if (change !== undefined) {
    ledger.note('changed', path, value, change)
    return undefined
  }
  if (isOfOneRunner(source.template, path, value)) {
    ledger.note('dropped', path, value, 'The value belongs to one runner, and the pods of a RunnerSet are alike.')
    return undefined
  }
  const plain = plainOf(value)
  if (isEmpty(plain)) {
    ledger.note('kept', path, value, 'It sets nothing.')
    return undefined
  }
  if (isSame(standard[key], plain)) {
    ledger.note('kept', path, value, "Dayfly's pod has the same value.")
    return undefined
  }
  ledger.note('kept', path, value, `spec.template.spec, container ${placeOf(role)}: ${key}`)
  return plain
}

function placeOf(role: Role): string {
  return role === 'runner' || role === 'docker' ? role : 'with the same name'
}

function unlessEmpty(list: readonly unknown[]): unknown {
  return list.length === 0 ? undefined : list
}

/** Returns why Dayfly's own value replaces this one. */
function changeOfDocker(key: string, value: Value): string | undefined {
  if (key === 'restartPolicy') return 'docker: sidecar always restarts the engine until the runner has ended.'
  if (key === 'startupProbe') return 'Dayfly has its own startup probe, which asks the engine until it answers.'
  if (key === 'image' && /^(?:docker\.io\/)?(?:library\/)?docker:(?:dind|latest)$/.test(String(value))) {
    return "The tag changes with each release of Docker. Dayfly's own image has a fixed version; set another one for the container docker."
  }
  return undefined
}

function convertMounts(value: Value, path: string, { role, standard, source }: Around): readonly unknown[] {
  const { ledger, goneVolumes } = source
  const mounts: unknown[] = []
  for (const [index, mount] of (Array.isArray(value) ? value : []).entries() as IterableIterator<[number, Value]>) {
    const at = below(path, index)
    const name = isMapping(mount) ? mount.get('name') : undefined
    const why = typeof name === 'string' ? goneVolumes.get(name) : undefined
    if (why !== undefined) ledger.note('dropped', at, mount, `The volume ${name} is dropped: ${why}.`)
    else if (isOfOneRunner(source.template, at, mount)) {
      ledger.note('dropped', at, mount, 'The path belongs to one runner, and the pods of a RunnerSet are alike.')
    } else {
      mounts.push(overStandard(plainOf(mount), standard))
      ledger.note('kept', at, mount, `spec.template.spec, container ${placeOf(role)}: volumeMounts`)
    }
  }
  if (!Array.isArray(value)) ledger.note('dropped', path, value, 'It is not a list of mounts.')
  else if (value.length === 0) ledger.note('kept', path, value, 'It is empty.')
  return mounts
}

/** A mount replaces Dayfly's mount at the same path field by field, so each field that it lacks is written as empty. */
function overStandard(mount: unknown, standard: JsonObject): unknown {
  if (!isJsonObject(mount)) return mount
  const own = listOf(standard['volumeMounts']).find((one) => one['mountPath'] === mount['mountPath'])
  if (!own) return mount
  const empty: JsonObject = {
    ...(own['subPath'] === undefined ? {} : { subPath: '' }),
    ...(own['readOnly'] ? { readOnly: false } : {}),
  }
  return { ...mount, ...Object.fromEntries(Object.entries(empty).filter(([key]) => !Object.hasOwn(mount, key))) }
}

/** The runner of Dayfly's pod uses another socket than the engine that the template starts. */
function withSocket(env: unknown): readonly unknown[] {
  const variables = listOf(env)
  if (variables.some((variable) => variable['name'] === 'DOCKER_HOST')) return variables
  return [...variables, { name: 'DOCKER_HOST', value: 'unix:///var/run/docker.sock' }]
}

/** Without requests, Kubernetes takes them from the limits. Dayfly's own requests of the sidecar would be in the way. */
function completeRequests(docker: Record<string, unknown>): void {
  const resources = docker['resources']
  if (!isJsonObject(resources) || !isJsonObject(resources['limits'])) return
  const requests = isJsonObject(resources['requests']) ? resources['requests'] : {}
  docker['resources'] = { ...resources, requests: { ...resources['limits'], ...requests } }
}

// Converts the environment variables of a container.
import type { JsonObject } from '@dayfly/kit/read-json'
import { isOfOneRunner } from '../job-template.ts'
import { below, isMapping, type Mapping, plainOf, type Value } from '../yaml/value.ts'
import { isSame, listOf } from './default-pod.ts'
import type { Role } from './roles.ts'
import type { Source } from './source.ts'

/** Dayfly sets these for each runner. */
const ofDayfly: ReadonlySet<string> = new Set([
  'ACCOUNT_UUID',
  'REPOSITORY_UUID',
  'RUNNER_UUID',
  'OAUTH_CLIENT_ID',
  'OAUTH_CLIENT_SECRET',
])
const toEngine: ReadonlySet<string> = new Set(['DOCKER_HOST', 'DOCKER_TLS_VERIFY', 'DOCKER_CERT_PATH'])
const officialWorkFolder = '/tmp'

type Judgement = readonly [is: 'kept' | 'changed' | 'dropped', sentence: string, emitted: boolean]

type Container = { readonly role: Role; readonly standard: JsonObject; readonly source: Source }

/** Returns the variables that differ from Dayfly's own. */
export function convertEnvironment(value: Value, path: string, container: Container): unknown[] {
  const { role, source } = container
  if (!Array.isArray(value) || value.length === 0) {
    const [is, sentence] = Array.isArray(value)
      ? (['kept', 'It is empty.'] as const)
      : (['dropped', 'It is not a list.'] as const)
    source.ledger.note(is, path, value, sentence)
    return []
  }
  const emitted: unknown[] = []
  const isLocal = role === 'runner' && reachesLocalEngine(value, source)
  for (const [index, entry] of value.entries() as IterableIterator<[number, Value]>) {
    const at = below(path, index)
    const [is, sentence, isEmitted] = isMapping(entry)
      ? judge(entry, at, { ...container, isLocal })
      : (['dropped', 'It is not a variable.', false] as const)
    if (isEmitted) emitted.push(plainOf(entry))
    source.ledger.note(is, at, entry, sentence)
  }
  return emitted
}

type Around = Container & { readonly isLocal: boolean }

function judge(entry: Mapping, path: string, { role, standard, source, isLocal }: Around): Judgement {
  const name = String(entry.get('name'))
  if (role === 'runner' && ofDayfly.has(name))
    return ['dropped', 'Dayfly sets this variable itself for each runner.', false]
  if (isOfOneRunner(source.template, path, entry)) {
    return ['dropped', 'The value belongs to one runner, and the pods of a RunnerSet are alike.', false]
  }
  if (isLocal && toEngine.has(name)) {
    return ['changed', "The runner reaches Docker by the socket of Dayfly's sidecar, not by a port.", false]
  }
  const own = listOf(standard['env']).find((variable) => variable['name'] === name)
  if (own && isSame(own, plainOf(entry))) return ['kept', 'Dayfly sets the same value.', false]
  const isOfficial = name === 'WORKING_DIRECTORY' && entry.get('value') === officialWorkFolder
  if (role === 'runner' && isOfficial && own && !source.hasOwnWorkFolder) {
    return ['changed', `Dayfly's shared folder for the work is ${own['value']}.`, false]
  }
  return [
    'kept',
    `spec.template.spec, container ${role === 'runner' || role === 'docker' ? role : 'with the same name'}: env`,
    true,
  ]
}

/** A Docker container in the same pod listens on the pod's own address or on the shared socket. */
function reachesLocalEngine(entries: readonly Value[], { hasDocker }: Source): boolean {
  const host = entries.find((entry) => isMapping(entry) && entry.get('name') === 'DOCKER_HOST')
  const value = isMapping(host) ? host.get('value') : undefined
  return (
    hasDocker &&
    typeof value === 'string' &&
    /^(?:unix:\/\/|tcp:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::|$))/.test(value)
  )
}

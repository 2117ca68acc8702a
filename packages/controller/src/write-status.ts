// Writes fields of a RunnerSet's status. A merge patch names the set only, so it would also change a newer set of that name:
// the server ignores a UID in it (docs/reference/kubernetes.md#s7-2). Each write is a JSON patch that tests the UID.
import { isJsonObject } from '@dayfly/kit/read-json'
import { KubernetesError } from '@dayfly/kubernetes/errors'
import type { Kubernetes } from '@dayfly/kubernetes/kubernetes'
import { runnerSets } from './resources.ts'

type SetName = { readonly namespace: string; readonly name: string; readonly uid: string }

/** Two first writes may come at once: the slower one finds no status, then a new one, and then writes into that. */
const attempts = ['present', 'absent', 'present'] as const

/**
 * Writes the fields, and keeps the others of the status. A field that is null is removed. Rejects with `not-found` if the set is gone, also if
 * another one has its name.
 */
export async function writeStatus(
  kubernetes: Pick<Kubernetes, 'patch'>,
  { namespace, name, uid }: SetName,
  fields: object,
  signal: AbortSignal,
): Promise<void> {
  const options = { subresource: 'status', signal, metadataOnly: true } as const
  for (const status of attempts) {
    const operations = [{ op: 'test', path: '/metadata/uid', value: uid }, ...beginning[status], ...writesOf(fields)]
    try {
      await kubernetes.patch(runnerSets, { namespace, name }, { type: 'json', operations }, options)
      return
    } catch (error) {
      if (!isUnfit(error)) throw error
    }
  }
  throw new KubernetesError('not-found', `the RunnerSet ${namespace}/${name} with the UID ${uid} is gone`)
}

/** A test for null passes if the member is absent. */
const beginning = {
  present: [],
  absent: [
    { op: 'test', path: '/status', value: null },
    { op: 'add', path: '/status', value: {} },
  ],
} as const

/** Only a member that is present can be removed, so a field is added first. */
function writesOf(fields: object): readonly object[] {
  return Object.entries(fields).flatMap(([field, value]): object[] => {
    const path = `/status/${field}`
    if (value === undefined) return []
    const add = { op: 'add', path, value: withoutNulls(value) }
    return value === null ? [add, { op: 'remove', path }] : [add]
  })
}

function withoutNulls(value: unknown): unknown {
  if (!isJsonObject(value)) return value
  const known = Object.entries(value).filter(([, part]) => part !== null)
  return Object.fromEntries(known.map(([key, part]) => [key, withoutNulls(part)]))
}

/** Returns whether an operation of the patch did not fit the object. The answer to an invalid object names that object. */
function isUnfit(error: unknown): boolean {
  return error instanceof KubernetesError && error.kind === 'invalid' && error.about === undefined
}

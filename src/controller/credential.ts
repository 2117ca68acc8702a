// The Secret with a set's credential at the forge.
import { KubernetesError } from '../kubernetes/errors.ts'
import type { Kubernetes } from '../kubernetes/kubernetes.ts'
import type { Failure } from '../model/failure.ts'
import type { RunnerSet } from '../model/runner-set.ts'
import { secrets } from './resources.ts'

/** The Secret's entries as text. */
export type CredentialEntries = Readonly<Record<string, string>>

/** The Secret that the set names does not exist. */
export class MissingCredential extends Error {
  readonly failure: Failure

  constructor(namespace: string, name: string) {
    super(`the Secret ${namespace}/${name} does not exist`)
    this.failure = { reason: 'forge-unauthorized', message: this.message }
  }
}

/** Reads the Secret by name; Dayfly never lists Secrets. Rejects with a `MissingCredential` or a `KubernetesError`. */
export async function readCredential(
  kubernetes: Kubernetes,
  { namespace, source }: RunnerSet,
  signal: AbortSignal,
): Promise<CredentialEntries> {
  const name = source.credentialsSecret
  try {
    const secret = await kubernetes.get(secrets, { namespace, name }, { signal })
    const data = (secret['data'] ?? {}) as Readonly<Record<string, string>>
    const decode = (value: string) => Buffer.from(value, 'base64').toString('utf8').trim()
    return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, decode(value)]))
  } catch (error) {
    if (error instanceof KubernetesError && error.kind === 'not-found') throw new MissingCredential(namespace, name)
    throw error
  }
}

/** Returns whether two readings of the Secret hold the same entries. */
export function sameCredential(left: CredentialEntries, right: CredentialEntries): boolean {
  const keys = Object.keys(left)
  return keys.length === Object.keys(right).length && keys.every((key) => left[key] === right[key])
}

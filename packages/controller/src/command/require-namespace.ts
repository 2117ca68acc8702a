// Distinguishes an empty namespace from one that does not exist: a mistyped name must not look like a namespace without problems.
import { CliFailure } from '@dayfly/command-line/failure'
import type { Resource } from '@dayfly/kubernetes/types'
import { AccessFailure, attempt, orUnknown } from '../operate/read.ts'
import type { Opened } from './options.ts'

const namespaces: Resource = { group: '', version: 'v1', plural: 'namespaces', kind: 'Namespace', namespaced: false }

/** Throws a CliFailure if the API server proves that the namespace does not exist. Without the right to read it, this stays unknown. */
export async function requireNamespace({ kubernetes, namespace, signal }: Opened): Promise<void> {
  if (namespace === undefined) return
  const access = { verb: 'get', resource: namespaces, namespace: undefined, name: namespace } as const
  const found = await orUnknown(
    attempt(access, () => kubernetes.get(namespaces, { name: namespace }, { signal })).then(
      () => true,
      (error: unknown) => {
        if (error instanceof AccessFailure && error.error.kind === 'not-found') return false
        throw error
      },
    ),
  )
  if (!found.known || found.value) return
  throw new CliFailure({
    code: 'namespace-unknown',
    sentence: `There is no namespace "${namespace}" in this cluster.`,
    next: 'Correct -n, or search all namespaces with -A.',
  })
}

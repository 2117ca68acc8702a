// Opens the cluster of an import, which only reads.
import { CliFailure } from '@dayfly/command-line/failure'
import { version } from '@dayfly/command-line/version'
import { systemClock, systemRandom } from '@dayfly/kit/system'
import { createKubernetes } from '@dayfly/kubernetes/client'
import { type ClusterChoice, clusterAccess, surroundings } from '@dayfly/kubernetes/command-line/cluster-access'
import { makeContact } from '@dayfly/kubernetes/command-line/first-contact'
import { connect } from '@dayfly/kubernetes/connect'
import { KubernetesError } from '@dayfly/kubernetes/errors'
import type { Kubernetes } from '@dayfly/kubernetes/kubernetes'

export type ReadCluster = {
  readonly kubernetes: Kubernetes
  /** The namespace of the context. */
  readonly home: string
}

/** Runs the work on the chosen cluster, and closes the connection. */
export async function onCluster<T>(choice: ClusterChoice, work: (cluster: ReadCluster) => Promise<T>): Promise<T> {
  const clock = systemClock()
  const access = await clusterAccess(choice, surroundings())
  const connection = connect(access, clock)
  try {
    const caller = {
      transport: connection.transport,
      clock,
      random: systemRandom(),
      userAgent: `dayfly-cli/${version}`,
    }
    await makeContact(caller)
    return await work({ kubernetes: createKubernetes(caller), home: access.namespace })
  } catch (cause) {
    throw cause instanceof KubernetesError ? refusal(cause) : cause
  } finally {
    await connection.close()
  }
}

function refusal(cause: KubernetesError): CliFailure {
  const isRight = cause.kind === 'forbidden' || cause.kind === 'unauthorized'
  return new CliFailure({
    code: isRight ? 'forbidden' : 'cluster-refused',
    sentence: `The API server did not answer the import: ${cause.message.replace(/\.$/, '')}.`,
    next: isRight
      ? 'Ask for the right to list these objects, or choose one namespace with -n.'
      : 'Run the command again. Check the API server if it fails again.',
    cause,
    exitCode: 1,
  })
}

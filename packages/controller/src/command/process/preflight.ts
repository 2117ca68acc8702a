// Asks the API server, before the controller starts, for what it cannot work without. The command ends if only an operator can correct the cause.
import { CliFailure } from '@dayfly/command-line/failure'
import { backoffMs } from '@dayfly/kit/backoff'
import type { Clock } from '@dayfly/kit/clock'
import type { TransportError } from '@dayfly/kit/http'
import type { Random } from '@dayfly/kit/random'
import { KubernetesError } from '@dayfly/kubernetes/errors'
import type { Kubernetes } from '@dayfly/kubernetes/kubernetes'
import { leases } from '@dayfly/kubernetes/lease-record'
import type { ObjectName, Resource } from '@dayfly/kubernetes/types'
import { pods, runnerSets } from '../../resources.ts'

export type PreflightOptions = {
  readonly kubernetes: Kubernetes
  readonly clock: Clock
  readonly random: Random
  /** The only namespace of the controller; undefined for all. */
  readonly namespace: string | undefined
  /** The Lease of the election. */
  readonly lease: ObjectName
  /** The address of the API server, for messages. */
  readonly server: string
  /** Receives the cause of each attempt that can pass by itself. */
  readonly onWaiting: (why: string) => void
}

const retry = { baseMs: 500, capMs: 10_000 }

/** Resolves when the API server lists pods and sets and shows the Lease. Rejects with a `CliFailure`, or with the signal's reason. */
export async function preflight(options: PreflightOptions, until: AbortSignal): Promise<void> {
  const { clock, random, onWaiting } = options
  for (let attempt = 1; ; attempt++) {
    until.throwIfAborted()
    try {
      await mayList(options, runnerSets, until)
      await mayList(options, pods, until)
      await mayReadLease(options, until)
      return
    } catch (error) {
      if (until.aborted) throw until.reason
      const refused = failureOf(error, options)
      if (refused) throw refused
      onWaiting(error instanceof Error ? error.message : String(error))
      await clock.sleep(backoffMs(retry, attempt, random), until)
    }
  }
}

class CallRefused extends Error {
  readonly resource: Resource
  /** The refused verb, with its kind and place. */
  readonly call: string
  readonly error: unknown

  constructor(resource: Resource, call: string, error: unknown) {
    super(error instanceof Error ? error.message : String(error), { cause: error })
    this.resource = resource
    this.call = call
    this.error = error
  }
}

async function mayList({ kubernetes, namespace }: PreflightOptions, resource: Resource, signal: AbortSignal) {
  try {
    // No object has this name: only the right to list is asked for.
    await kubernetes.list(resource, { namespace, fieldSelector: 'metadata.name=dayfly-preflight', signal })
  } catch (error) {
    const where = namespace === undefined ? 'in all namespaces' : `in namespace ${namespace}`
    throw new CallRefused(resource, `list ${nameOf(resource)} ${where}`, error)
  }
}

/** The Lease may not exist yet: the election creates it. */
async function mayReadLease({ kubernetes, lease }: PreflightOptions, signal: AbortSignal) {
  try {
    await kubernetes.get(leases, lease, { signal })
  } catch (error) {
    if (error instanceof KubernetesError && error.kind === 'not-found') return
    throw new CallRefused(leases, `get ${nameOf(leases)} in namespace ${lease.namespace}`, error)
  }
}

function nameOf({ plural, group }: Resource): string {
  return group === '' ? plural : `${plural}.${group}`
}

/** Returns the failure that only an operator can correct; undefined for a cause that can pass by itself. */
function failureOf(thrown: unknown, { namespace, server }: PreflightOptions): CliFailure | undefined {
  if (!(thrown instanceof CallRefused)) return undefined
  const { resource, call, error } = thrown
  if (!(error instanceof KubernetesError)) return undefined
  const cause = error
  switch (error.kind) {
    case 'unauthorized':
      return new CliFailure({
        code: 'token-refused',
        at: server,
        sentence: `The API server does not accept the credential: ${error.message}.`,
        next: 'Renew the token or the client certificate of the kubeconfig, or check the ServiceAccount of the pod.',
        cause,
      })
    case 'forbidden':
      return new CliFailure({
        code: 'forbidden',
        at: server,
        sentence: `The controller may not ${call}: ${error.message}.`,
        next:
          namespace === undefined
            ? 'Bind the ClusterRole of the controller to its account, or run it for one namespace with --namespace.'
            : `Bind the Role of the controller to its account in namespace ${namespace}.`,
        cause,
      })
    case 'not-found':
      return new CliFailure({
        code: 'crd-missing',
        at: server,
        sentence: `The API server does not know the kind ${nameOf(resource)}.`,
        next: 'Install the custom resource definition of RunnerSet, then start the controller again.',
        cause,
      })
    default:
      return isDistrusted(error) ? distrusted(error, server) : undefined
  }
}

function isDistrusted({ cause }: KubernetesError): boolean {
  return (cause as Partial<TransportError> | undefined)?.kind === 'certificate'
}

function distrusted(error: KubernetesError, server: string): CliFailure {
  return new CliFailure({
    code: 'certificate-refused',
    at: server,
    sentence: `The certificate of the API server is not trusted: ${error.message}.`,
    next: 'Check certificate-authority-data and the server of the kubeconfig.',
    cause: error,
  })
}

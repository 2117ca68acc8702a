// Turns failed calls to the API server into failures that name the verb, the resource and the next step.
import { CliFailure } from '@dayfly/command-line/failure'
import { KubernetesError } from '@dayfly/kubernetes/errors'
import type { Inquiry } from '@dayfly/kubernetes/inquiry'
import { apiGroup } from '@dayfly/runner-set/model/api'
import { AccessFailure, describeAccess } from '../operate/read.ts'

/** Runs the work, and translates its `AccessFailure`. */
export async function refusing<T>({ inquiry }: { readonly inquiry: Inquiry }, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof AccessFailure)) throw error
    throw await failureOf(error, inquiry)
  }
}

async function failureOf(failure: AccessFailure, inquiry: Inquiry): Promise<CliFailure> {
  const { access, error } = failure
  const what = describeAccess(access)
  const { resource, namespace } = access
  if (error.kind === 'forbidden') {
    const kind = resource.group === '' ? resource.plural : `${resource.plural}.${resource.group}`
    const where = namespace === undefined ? '-A' : `-n ${namespace}`
    return failed('forbidden', {
      sentence: `You may not ${what}.`,
      next: `Ask for a role with the verb ${access.verb} on ${kind}, or choose another namespace with -n. Check with: kubectl auth can-i ${access.verb} ${kind} ${where}`,
      cause: failure,
    })
  }
  if (error.kind === 'unauthorized') {
    const next = 'Renew the credential of the kubeconfig, for example by logging in again.'
    return failed('unauthorized', { sentence: 'The API server does not accept the credential.', next, cause: failure })
  }
  if (error.kind === 'not-found' && resource.group === apiGroup && (await isUnserved(failure, inquiry))) {
    return failed('crd-missing', {
      sentence: 'This cluster does not know RunnerSets: Dayfly is not installed in it.',
      next: 'Install Dayfly (docs/guide/install.md), or choose another cluster with --context.',
      cause: failure,
    })
  }
  const again = error.kind === 'unavailable' || error.kind === 'rate-limited'
  return failed(again ? 'cluster-unavailable' : 'cluster-refused', {
    sentence: `The API server did not ${what}: ${error.message.replace(/\.$/, '')}.`,
    next: again ? 'Run the command again. Check the API server if it fails again.' : 'Correct what the message names.',
    cause: failure,
  })
}

async function isUnserved({ access }: AccessFailure, inquiry: Inquiry): Promise<boolean> {
  try {
    return (await inquiry.versionsOf(access.resource)).length === 0
  } catch (error) {
    if (error instanceof KubernetesError) return false
    throw error
  }
}

type Words = { readonly sentence: string; readonly next: string; readonly cause: unknown }

function failed(code: string, words: Words): CliFailure {
  return new CliFailure({ code, ...words, exitCode: 1 })
}

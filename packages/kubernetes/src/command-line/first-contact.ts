// Asks the API server for its version first. A wrong address fails at once; without this, every kind would be tried and retried.
import { CliFailure } from '@dayfly/command-line/failure'
import type { Clock } from '@dayfly/kit/clock'
import { withDeadline } from '@dayfly/kit/deadline'
import { noBody, type Transport, TransportError } from '@dayfly/kit/http'
import { standardHeaders } from '../send.ts'

type Contact = { readonly transport: Transport; readonly clock: Clock; readonly userAgent: string }

/** Milliseconds. A server that is silent for so long will not list a cluster. */
const patience = 10_000

/**
 * Resolves with any answer, also a refusal. Throws a CliFailure if no answer can come.
 * @param exitCode that of the command if no answer can come. The doctor has one of its own, because nothing can be analysed.
 */
export async function makeContact({ transport, clock, userAgent }: Contact, exitCode: 1 | 3 = 1): Promise<void> {
  const late = () => new TransportError('timeout', `no answer within ${patience / 1000} s`)
  const headers = standardHeaders(userAgent)
  try {
    await withDeadline({ clock, ms: patience, late }, (signal) =>
      transport({ method: 'GET', path: '/version', query: {}, headers, body: noBody, expect: 'whole', signal }),
    )
  } catch (error) {
    if (!(error instanceof TransportError)) throw error
    // A connection that was lost on the way may work the next time: the lists retry.
    if (error.kind !== 'lost') throw unreachable(error, exitCode)
  }
}

function unreachable(error: TransportError, exitCode: 1 | 3): CliFailure {
  const isUntrusted = error.kind === 'certificate'
  return new CliFailure({
    code: 'cluster-unreachable',
    sentence: `The API server ${isUntrusted ? 'is not trusted' : 'cannot be reached'}: ${error.message}.`,
    next: isUntrusted
      ? 'Check certificate-authority-data of the kubeconfig, and that the address is the right one.'
      : 'Check the address, the network, the files that the kubeconfig names, and with --context which cluster is meant.',
    exitCode,
    cause: error,
  })
}

// The first request to a cluster ends the examination if no answer can come.
import { CliFailure } from '@dayfly/command-line/failure'
import { jsonAnswer, type Transport, TransportError } from '@dayfly/kit/http'
import { virtualClock } from '@dayfly/kit/virtual-clock'
import { expect, test } from 'vitest'
import { makeContact } from './first-contact.ts'

test('gives up on a silent server after ten seconds, and not before', async () => {
  const clock = virtualClock()
  const silent: Transport = ({ signal }) =>
    new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))
  let failure: unknown
  const contact = makeContact({ transport: silent, clock, userAgent: 'test' }, 3).catch((error: unknown) => {
    failure = error
  })
  await clock.advance(9_999)
  expect(failure).toBeUndefined()
  await clock.advance(1)
  await contact
  expect(failure).toMatchObject({ exitCode: 3, details: { code: 'cluster-unreachable' } })
})

test.each([
  ['any answer is one', async () => jsonAnswer(403, {}), undefined],
  ['what broke may work the next time', fail('lost'), undefined],
  ['nobody is there', fail('connect'), 'The API server cannot be reached: no.'],
  ['another server answers', fail('certificate'), 'The API server is not trusted: no.'],
] as const)('%s', async (_, transport, sentence) => {
  const contact = makeContact({ transport, clock: virtualClock(), userAgent: 'test' })
  if (sentence === undefined) await expect(contact).resolves.toBeUndefined()
  else await expect(contact).rejects.toSatisfy((error) => error instanceof CliFailure && error.message === sentence)
})

function fail(kind: TransportError['kind']): Transport {
  return () => Promise.reject(new TransportError(kind, 'no'))
}

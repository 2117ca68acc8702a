// A client may keep a connection only while it sends or reads.
import { once } from 'node:events'
import { connect } from 'node:tls'
import { type Answer, type Request, textAnswer } from '@dayfly/kit/http'
import { virtualClock } from '@dayfly/kit/virtual-clock'
import { expect, test } from 'vitest'
import { openEndpoint } from './endpoint.ts'

const limitsMs = { head: 300, request: 600, stall: 400 }
const large = 'x'.repeat(20_000_000)

async function* endless(): AsyncGenerator<string> {
  for (;;) yield large
}

/** Asks for the answer, reads nothing, and resolves when the server has ended the request. */
async function stalled(answer: Answer): Promise<void> {
  const ended: { promise: Promise<unknown> | undefined } = { promise: undefined }
  const handler = async ({ signal }: Request) => {
    ended.promise = signal === undefined ? undefined : once(signal, 'abort')
    return answer
  }
  const endpoint = await openEndpoint(handler, { clock: virtualClock(), limitsMs })
  const socket = connect({ host: '127.0.0.1', port: endpoint.port, ca: endpoint.ca })
  socket.on('error', () => {})
  await once(socket, 'secureConnect')
  socket.pause()
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
  await expect.poll(() => ended.promise !== undefined, { timeout: 5_000 }).toBe(true)
  await ended.promise
  socket.destroy()
  await endpoint.close()
}

test.each([
  '',
  'GET / HTTP/1.1\r\nHost: x\r\n',
  'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{}',
  '\0\xff\r\n\r\n',
])('a client that sends only %j is cut off', async (part) => {
  const endpoint = await openEndpoint(async () => textAnswer(200, ''), { clock: virtualClock(), limitsMs })
  const socket = connect({ host: '127.0.0.1', port: endpoint.port, ca: endpoint.ca })
  socket.on('error', () => {})
  await once(socket, 'secureConnect')
  socket.resume().write(part)
  await once(socket, 'close')
  await endpoint.close()
})

test('a client that reads nothing of a large answer is cut off', async () => {
  await stalled(textAnswer(200, large))
})

test('a client that reads nothing of a stream is cut off', async () => {
  await stalled({ status: 200, headers: {}, body: { kind: 'bytes', chunks: endless() } })
})

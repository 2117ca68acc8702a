// The protocol of a command over a WebSocket, on plain values.
import type { CommandEnd, CommandSession } from '@dayfly/kit/command-session'
import { channel } from '@dayfly/kit/queue'
import { virtualClock } from '@dayfly/kit/virtual-clock'
import { expect, test } from 'vitest'
import { framed, parseMessage, type RemoteCommandProtocol, serveCommand, statusOf } from './remote-command.ts'

const v5 = 'v5.channel.k8s.io'
const v4 = 'v4.channel.k8s.io'

test.each([
  [[0, 65, 66], v5, { is: 'input', data: Uint8Array.of(65, 66) }],
  [[0], v5, { is: 'input', data: new Uint8Array() }],
  [[], v5, { is: 'ignored' }],
  [[1, 65], v5, { is: 'ignored' }],
  [[2, 65], v5, { is: 'ignored' }],
  [[3, 65], v5, { is: 'ignored' }],
  [[4, ...Buffer.from('{"Width":80,"Height":24}')], v5, { is: 'ignored' }],
  [[4, 0xff], v5, { is: 'ignored' }],
  [[5, 65], v5, { is: 'ignored' }],
  [[254], v5, { is: 'ignored' }],
  [[255, 0], v5, { is: 'end-of-input' }],
  [[255, 1], v5, { is: 'ignored' }],
  [[255, 255], v5, { is: 'ignored' }],
  [[255], v5, { is: 'malformed' }],
  [[255, 0, 0], v5, { is: 'malformed' }],
  [[255, 0], v4, { is: 'ignored' }],
  [[0, 65], v4, { is: 'input', data: Uint8Array.of(65) }],
  [[255, 0], 'channel.k8s.io', { is: 'ignored' }],
] as const)('%j in %s means %j', (bytes, protocol, meaning) => {
  expect(parseMessage(Uint8Array.from(bytes), protocol)).toEqual(meaning)
})

test('an output has its channel as the first byte', () => {
  expect([...framed('stdout', Uint8Array.of(7))]).toEqual([1, 7])
  expect([...framed('stderr', new Uint8Array())]).toEqual([2])
  expect([...framed('error', Uint8Array.of(7, 8))]).toEqual([3, 7, 8])
})

test('the Status has the exit code as a cause, or the reason why the command did not run', () => {
  expect(statusOf({ is: 'exited', exitCode: 0 })).toEqual({ metadata: {}, status: 'Success' })
  expect(statusOf({ is: 'exited', exitCode: 137 })).toEqual({
    metadata: {},
    status: 'Failure',
    message: 'command terminated with non-zero exit code: command terminated with exit code 137',
    reason: 'NonZeroExitCode',
    details: { causes: [{ reason: 'ExitCode', message: '137' }] },
  })
  expect(statusOf({ is: 'failed', message: 'no' })).toMatchObject({
    status: 'Failure',
    reason: 'InternalError',
    message: 'Internal error occurred: no',
    code: 500,
  })
})

/** Serves a command that the test plays, to a client that the test plays. */
function world(protocol: RemoteCommandProtocol = v5, reads = true) {
  const clock = virtualClock()
  const messages = channel<Uint8Array>()
  const gone = new AbortController()
  const sent: string[] = []
  const written: string[] = []
  let end = (_: CommandEnd) => {}
  const session: CommandSession = {
    write: async (data) => void written.push(Buffer.from(data).toString()),
    endInput: () => void written.push('(end)'),
    ended: new Promise((resolve) => {
      end = resolve
    }),
  }
  const send = async (message: Uint8Array) => {
    sent.push(Buffer.from(message).toString('latin1'))
    if (!reads) await new Promise(() => {})
  }
  const started: { print(text: string): void }[] = []
  const served = serveCommand({ messages, send, gone: gone.signal }, protocol, clock, (stdout, stderr, until) => {
    until.addEventListener('abort', () => end({ is: 'exited', exitCode: 137 }))
    if (until.aborted) end({ is: 'exited', exitCode: 137 })
    started.push({
      print: (text) => {
        void stdout(Buffer.from(text))
        void stderr(Buffer.from(text))
      },
    })
    return session
  })
  const receive = (...bytes: readonly number[]) => messages.push(Uint8Array.from(bytes))
  return {
    clock,
    messages,
    gone,
    sent,
    written,
    served,
    receive,
    started,
    end: (code: number) => end({ is: 'exited', exitCode: code }),
  }
}

test('input, its end, output and Status pass between client and command', async () => {
  const { receive, started, served, end, sent, written } = world()
  receive(0, 97, 98)
  receive(4, 1)
  receive(0, 99)
  receive(255, 0)
  await expect.poll(() => written).toEqual(['ab', 'c', '(end)'])
  started[0]?.print('x')
  end(0)
  await served
  expect(sent).toEqual(['\u0001x', '\u0002x', '\u0003{"metadata":{},"status":"Success"}'])
})

test.each([
  [0, ['\u0001x', '\u0002x']],
  [3, ['\u0001x', '\u0002x', expect.stringMatching(/^\u0003command terminated .* exit code 3$/)]],
])('the oldest protocol has a text for the exit code %d, or nothing', async (code, expected) => {
  const { started, served, end, sent } = world('channel.k8s.io')
  started[0]?.print('x')
  end(code)
  await served
  expect(sent).toEqual(expected)
})

test('a client that goes away, and a malformed close, kill the command', async () => {
  const left = world()
  left.gone.abort()
  await left.served
  expect(left.sent.at(-1)).toContain('"message":"137"')
  const wrong = world()
  wrong.receive(255)
  await wrong.served
  expect(wrong.sent.at(-1)).toContain('"message":"137"')
})

test('a client that does not read the Status is served for a minute', async () => {
  const { clock, served, end } = world(v5, false)
  let isServed = false
  void served.then(() => {
    isServed = true
  })
  end(0)
  await clock.advance(59_000)
  expect(isServed).toBe(false)
  await clock.advance(1_000)
  expect(isServed).toBe(true)
})

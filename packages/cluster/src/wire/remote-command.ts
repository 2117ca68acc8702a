// The protocol of a command over a WebSocket: the first byte of each message is its channel.
// Source: https://github.com/kubernetes/kubernetes/blob/release-1.34/staging/src/k8s.io/apimachinery/pkg/util/remotecommand/constants.go
import type { Clock } from '@dayfly/kit/clock'
import type { CommandEnd, CommandSession, Sink } from '@dayfly/kit/command-session'
import type { MessageStream } from '@dayfly/kit/http'
import { internalError } from '../api/errors.ts'
import { text } from '../api/values/json.ts'

/** The supported subprotocols, the preferred one first. Only v5 lets a client close its standard input. The oldest has no exit code. */
export const remoteCommandProtocols = ['v5.channel.k8s.io', 'v4.channel.k8s.io', 'channel.k8s.io'] as const

export type RemoteCommandProtocol = (typeof remoteCommandProtocols)[number]

const channels = { stdin: 0, stdout: 1, stderr: 2, error: 3, close: 255 } as const

/** The meaning of a client's message. */
export type ClientMessage =
  | { readonly is: 'input'; readonly data: Uint8Array }
  | { readonly is: 'end-of-input' }
  /** Kubernetes ignores it, too: it is empty, for another channel, or the size of a terminal that does not exist. */
  | { readonly is: 'ignored' }
  /** A close that does not name one channel. It ends the session. */
  | { readonly is: 'malformed' }

export function parseMessage(message: Uint8Array, protocol: RemoteCommandProtocol): ClientMessage {
  const [channel, closed] = message
  if (channel === channels.stdin) return { is: 'input', data: message.subarray(1) }
  if (channel !== channels.close || protocol !== 'v5.channel.k8s.io') return { is: 'ignored' }
  if (message.length !== 2) return { is: 'malformed' }
  return closed === channels.stdin ? { is: 'end-of-input' } : { is: 'ignored' }
}

/** Returns a message with its channel. */
export function framed(channel: keyof typeof channels, data: Uint8Array): Uint8Array {
  return Buffer.concat([Uint8Array.of(channels[channel]), data])
}

/** Returns the Status that shows the client how the command has ended. */
export function statusOf(end: CommandEnd): object {
  if (end.is === 'failed') return internalError(end.message).status
  if (end.exitCode === 0) return { metadata: {}, status: 'Success' }
  const { exitCode } = end
  return {
    metadata: {},
    status: 'Failure',
    message: `command terminated with non-zero exit code: command terminated with exit code ${exitCode}`,
    reason: 'NonZeroExitCode',
    details: { causes: [{ reason: 'ExitCode', message: String(exitCode) }] },
  }
}

/** How long a client may take to read the Status, as for any other answer. */
const statusMs = 60_000

/** Starts a command whose output goes to the sinks. The signal kills it. */
export type StartCommand = (stdout: Sink, stderr: Sink, until: AbortSignal) => CommandSession

/** Runs one session. Resolves when the command has ended and the client has the Status, or is gone. */
export async function serveCommand(
  stream: MessageStream,
  protocol: RemoteCommandProtocol,
  clock: Clock,
  start: StartCommand,
): Promise<void> {
  const until = new AbortController()
  const stop = () => until.abort()
  stream.gone.addEventListener('abort', stop)
  if (stream.gone.aborted) stop()
  const session = start(
    (data) => stream.send(framed('stdout', data)),
    (data) => stream.send(framed('stderr', data)),
    until.signal,
  )
  void readClient(stream, protocol, session, stop)
  const status = statusOf(await session.ended)
  const last = protocol === 'channel.k8s.io' ? text(status, 'message') : JSON.stringify(status)
  if (last === '') return
  const late = new AbortController()
  const tooLate = clock.sleep(statusMs, late.signal).catch(() => undefined)
  await Promise.race([stream.send(framed('error', Buffer.from(last))), tooLate])
  late.abort()
}

/** Reads the client's messages until the stream ends. */
async function readClient(
  stream: MessageStream,
  protocol: RemoteCommandProtocol,
  session: CommandSession,
  stop: () => void,
): Promise<void> {
  for await (const bytes of stream.messages) {
    const message = parseMessage(bytes, protocol)
    switch (message.is) {
      case 'input':
        await session.write(message.data)
        break
      case 'end-of-input':
        session.endInput()
        break
      case 'malformed':
        stop()
        break
      case 'ignored':
        break
    }
  }
}

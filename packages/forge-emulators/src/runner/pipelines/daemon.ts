// The life of a Bitbucket runner: it comes online, asks for steps in an interval, and runs one after another (docs/reference/bitbucket.md#s3-6).
// Its API is packages/forge-emulators/src/bitbucket/runner-wire.md.
import { connect, type Reply } from '../connection.ts'
import { callUntilAnswered, pause } from '../retry.ts'
import type { RunnerHost } from '../session.ts'
import type { StepRunnerCredential } from './credential.ts'
import { type DaemonHost, print, type StepLink } from './daemon-host.ts'
import { readStep } from './read-step.ts'
import { serveStep } from './serve-step.ts'

/** A runner that is deleted or refused ends by itself. The code is an assumption: Atlassian documents none. */
const endedCode = 0

/** Resolves with the exit code when the forge refuses the runner or stays unreachable, or when this program must end. Never rejects for the forge's behaviour. */
export async function runDaemon(credential: StepRunnerCredential, host: DaemonHost): Promise<number> {
  const { client, runner, origin } = credential
  const basic = Buffer.from(`${client.id}:${client.secret}`).toString('base64')
  const connection = connect(origin, { authorization: `Basic ${basic}` })
  const base = `runner/${encodeURIComponent(runner)}/`
  try {
    const online = await callUntilAnswered((signal) => {
      return connection.call('PUT', `${base}state`, { body: { status: 'ONLINE' }, signal })
    }, host)
    if (!online || isRefused(online, host)) return endedCode
    const pickUpMs = millisecondsIn(online, 'pickUpMs', 30_000)
    const every = `after 0 seconds and then every ${pickUpMs / 1_000} seconds`
    print(host, `Updating runner status to "ONLINE" and checking for new steps assigned to the runner ${every}.`)
    const link = { connection, base, renewMs: millisecondsIn(online, 'renewMs', 10_000) }
    return await takeSteps(link, pickUpMs, { credential, host })
  } finally {
    connection.close()
  }
}

type Self = { readonly credential: StepRunnerCredential; readonly host: DaemonHost }

/** The time for a response with a step. It is below the default grace period of a pod. */
const askMs = 10_000

async function takeSteps(link: StepLink, pickUpMs: number, { credential, host }: Self): Promise<number> {
  while (host.stopper.reason === undefined) {
    // A signal does not abort this call: the forge may have given the runner a step, and no other runner would get it.
    const reply = await callUntilAnswered(
      () => link.connection.call('GET', `${link.base}step`, { timeoutMs: askMs }),
      host,
    )
    if (!reply || isRefused(reply, host)) return endedCode
    const step = reply.status === 200 ? readStep(reply.value) : undefined
    if (reply.status === 200 && !step) print(host, 'The message with the step is not valid.')
    if (step) await serveStep(step, link, { secret: credential.client.secret, host })
    else await pause(pickUpMs, host)
  }
  return endedCode
}

function isRefused({ status }: Reply, host: RunnerHost): boolean {
  if (status !== 401 && status !== 404) return false
  print(host, `The forge refuses the runner with status ${status}: it was deleted, or its credentials are not valid.`)
  return true
}

function millisecondsIn({ value }: Reply, name: string, otherwise: number): number {
  const ms = value[name]
  return typeof ms === 'number' && ms > 0 && ms < 2 ** 31 ? ms : otherwise
}

// The lifecycle of one runner: a session, at most one job, the end.
// Its exit codes are those of the official image's container (docs/reference/scale-set-protocol.md#s15-2).
import { type Connection, connect, type Reply } from './connection.ts'
import { type RunnerCredential, readCredential } from './credential.ts'
import { callUntilAnswered, pause } from './retry.ts'
import { serveJob } from './serve-job.ts'
import { type JobRequest, type RunnerHost, type Session, stamp, waitLimits } from './session.ts'

/** Exit codes. Every end except a refused version has 0, including a crash of the listener. Signals have their own codes (`main.ts`). */
const exitCodes = { ended: 0, versionRefused: 7 } as const

/** Runs the runner and resolves with its exit code. No behaviour of the forge makes it reject. */
export async function runLifecycle(encoded: string | undefined, host: RunnerHost): Promise<number> {
  const credential = encoded === undefined ? undefined : readCredential(encoded)
  if (!credential) {
    host.print('The JIT configuration is missing or not valid. Set ACTIONS_RUNNER_INPUT_JITCONFIG.\n')
    return exitCodes.ended
  }
  const connection = connect(credential.url, { authorization: `Bearer ${credential.token}` })
  try {
    const session = await openSession(credential, connection, host)
    if (session.kind === 'over') return session.code
    host.print(`\n√ Connected\n\n${stamp(host.clock)}: Listening for Jobs\n`)
    const code = await listen({ credential, connection, sessionId: session.id }, host)
    await connection.call('DELETE', `session?sessionId=${session.id}`, { timeoutMs: 5_000 }).catch(() => undefined)
    return code
  } finally {
    connection.close()
  }
}

type Opened = { readonly kind: 'open'; readonly id: string } | { readonly kind: 'over'; readonly code: number }

async function openSession(credential: RunnerCredential, connection: Connection, host: RunnerHost): Promise<Opened> {
  const { clock, print } = host
  const agent = { id: credential.id, name: credential.name, version: '2.999.0', osDescription: process.platform }
  const body = { ownerName: credential.name, agent }
  const conflictUntil = clock.now() + waitLimits.conflictMs
  for (;;) {
    const reply = await callUntilAnswered((signal) => connection.call('POST', 'session', { body, signal }), host)
    if (!reply) return { kind: 'over', code: exitCodes.ended }
    const id = reply.value['sessionId']
    if (reply.status === 200 && typeof id === 'string') return { kind: 'open', id }
    if (reply.status !== 409 || clock.now() >= conflictUntil) {
      print(`The session was not created: ${String(reply.value['errorMessage'] ?? `status ${reply.status}`)}\n`)
      return { kind: 'over', code: codeOf(reply, host) }
    }
    print(`${stamp(clock)}: Another process uses the session of this runner. Trying again.\n`)
    if (!(await pause(waitLimits.conflictEveryMs, host))) return { kind: 'over', code: exitCodes.ended }
  }
}

async function listen(session: Session, host: RunnerHost): Promise<number> {
  const { connection, sessionId } = session
  const url = `message?sessionId=${sessionId}&status=Online&runnerVersion=2.999.0&os=Linux&architecture=X64&disableUpdate=true`
  for (;;) {
    const poll = (signal: AbortSignal) => connection.call('GET', url, { signal, timeoutMs: waitLimits.pollMs })
    const reply = await callUntilAnswered(poll, host)
    if (!reply) return exitCodes.ended
    if (reply.status >= 400) {
      host.print(`${stamp(host.clock)}: ${String(reply.value['errorMessage'] ?? 'The session has ended.')}\n`)
      return codeOf(reply, host)
    }
    const request = jobRequestOf(reply)
    if (request && (await serveJob(request, session, host)) === 'done') return exitCodes.ended
  }
}

function jobRequestOf({ status, value }: Reply): JobRequest | undefined {
  if (status !== 200 || value['messageType'] !== 'RunnerJobRequest') return undefined
  try {
    const body = JSON.parse(String(value['body'])) as Readonly<Record<string, unknown>>
    const url = String(body['run_service_url'])
    if (!URL.canParse(url)) return undefined
    const id = String(body['runner_request_id'])
    return { id, url: url.endsWith('/') ? url : `${url}/`, acknowledge: body['should_acknowledge'] === true }
  } catch {
    return undefined
  }
}

/** Returns the exit code for a refusal. A refused version has its own code only if the environment asks for it. */
function codeOf(reply: Reply, { inherited }: RunnerHost): number {
  const wanted = inherited['ACTIONS_RUNNER_RETURN_VERSION_DEPRECATED_EXIT_CODE'] === '1'
  return wanted && reply.value['errorKind'] === 'RunnerVersionTooOld' ? exitCodes.versionRefused : exitCodes.ended
}

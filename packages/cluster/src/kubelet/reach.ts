// Sends probes and hooks over the network. A failure is reported in Kubernetes' words.
import type { NetworkTarget } from '../runtime/runtime.ts'
import type { PodContext } from './context.ts'
import type { Action, Container } from './pod.ts'
import { podAddress } from './pod-address.ts'
import { type ContainerRecord, idOf } from './record.ts'

export type Reached =
  /** The status is the HTTP status; undefined for a TCP connection. */
  { readonly is: 'reached'; readonly status: number | undefined } | { readonly is: 'failed'; readonly message: string }

export type ReachOptions = {
  readonly action: Action
  /** The purpose in the `user-agent` header. */
  readonly purpose: 'probe' | 'lifecycle'
  readonly timeoutMs: number | undefined
}

/** Runs the action over the network. Returns undefined if the action is of another type. */
export async function reachContainer(
  { runtime, pod }: PodContext,
  record: ContainerRecord,
  { action, purpose, timeoutMs }: ReachOptions,
): Promise<Reached | undefined> {
  const port = action.httpGet?.port ?? action.tcpSocket?.port
  if (port === undefined) return undefined
  const number = resolvePort(record.spec, port)
  if (number === undefined) return { is: 'failed', message: `couldn't find port: ${port}` }
  const target = targetOf(action, { host: podAddress(pod()), port: number }, purpose)
  const result = await runtime.reach(idOf(pod(), record), target, timeoutMs)
  if (result.is === 'reached') return result
  return { is: 'failed', message: explain(target, result.is === 'failed' ? result.message : undefined) }
}

function resolvePort({ ports = [] }: Container, port: number | string): number | undefined {
  return typeof port === 'number' ? port : ports.find(({ name }) => name === port)?.containerPort
}

type Address = { readonly host: string; readonly port: number }

/** @param address where the container listens, unless the action names another host */
function targetOf({ httpGet, tcpSocket }: Action, { host, port }: Address, purpose: string): NetworkTarget {
  if (!httpGet) return { is: 'tcp', host: tcpSocket?.host || host, port }
  const given = Object.fromEntries((httpGet.httpHeaders ?? []).map(({ name, value }) => [name.toLowerCase(), value]))
  return {
    is: 'http',
    scheme: httpGet.scheme === 'HTTPS' ? 'https' : 'http',
    host: httpGet.host || host,
    port,
    path: httpGet.path ?? '/',
    headers: { 'user-agent': `kube-${purpose}/1`, accept: '*/*', ...given },
  }
}

/** @param problem undefined if the request timed out. */
function explain(target: NetworkTarget, problem: string | undefined): string {
  const address = `${target.host}:${target.port}`
  if (target.is === 'tcp') {
    return problem === undefined ? `dial tcp ${address}: i/o timeout` : `dial tcp ${address}: connect: ${problem}`
  }
  const url = `Get "${target.scheme}://${address}${target.path}"`
  if (problem === undefined) {
    return `${url}: context deadline exceeded (Client.Timeout exceeded while awaiting headers)`
  }
  return problem === 'connection refused' ? `${url}: dial tcp ${address}: connect: ${problem}` : `${url}: ${problem}`
}

// Sends network probes and hooks. Containers share the host's network, so they listen on its loopback addresses.
import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { connect } from 'node:net'
import type { Clock } from '@dayfly/kit/clock'
import type { NetworkResult, NetworkTarget } from '../runtime.ts'

export async function reach(
  target: NetworkTarget,
  timeoutMs: number | undefined,
  clock: Clock,
): Promise<NetworkResult> {
  // Node throws for a request that it cannot send, for example a path with a line break. The promise then rejects.
  return await new Promise<NetworkResult>((resolve) => {
    const finish = (result: NetworkResult) => {
      timer?.cancel()
      stop()
      resolve(result)
    }
    const stop = target.is === 'tcp' ? openConnection(target, finish) : makeRequest(target, finish)
    const timer = timeoutMs === undefined ? undefined : clock.after(timeoutMs, () => finish({ is: 'timed-out' }))
  }).catch((error) => ({ is: 'failed', message: messageOf(error) }))
}

/** Calls `finish` at least once. Returns a function that closes the connection. */
function openConnection(target: NetworkTarget & { is: 'tcp' }, finish: (result: NetworkResult) => void): () => void {
  const socket = connect({ host: target.host, port: target.port })
  socket.once('connect', () => finish({ is: 'reached', status: undefined }))
  socket.on('error', (error) => finish({ is: 'failed', message: messageOf(error) }))
  return () => socket.destroy()
}

function makeRequest(target: NetworkTarget & { is: 'http' }, finish: (result: NetworkResult) => void): () => void {
  const { host, port, path, headers } = target
  const options = { host, port, path, headers, agent: false, rejectUnauthorized: false } as const
  const request = target.scheme === 'https' ? httpsRequest(options) : httpRequest(options)
  request.once('response', (response) => finish({ is: 'reached', status: response.statusCode }))
  request.on('error', (error) => finish({ is: 'failed', message: messageOf(error) }))
  request.end()
  return () => request.destroy()
}

/** The error message; the two most common ones use the words of Go. */
function messageOf(error: NodeJS.ErrnoException): string {
  if (error.code === 'ECONNREFUSED') return 'connection refused'
  if (error.code === 'ECONNRESET') return 'connection reset by peer'
  return error.message
}

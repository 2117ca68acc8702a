// Starts `dayfly cluster --data-dir` on the directory of a world, and sends requests to it.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { type Answer, jsonBody, type Method, noBody } from '@dayfly/kit/http'
import { httpClient } from '@dayfly/kit/http-client'
import { parse } from 'yaml'
import { type Cli, until, type World } from '../cli.ts'

export type Send = (method: Method, target: string, body?: object) => Promise<Answer>

export type KeptCluster = {
  readonly cli: Cli
  readonly send: Send
  /** The processor time that the command had used when it was ready. */
  readonly cpuMs: number
  readonly url: string
  /** Sends the signal and waits for the end of the command. */
  end(signal: NodeJS.Signals): Promise<void>
}

/** The data directory of a world. */
export function dataOf(world: World): string {
  return path.join(world.directory, 'own', 'data')
}

export async function startKept(world: World): Promise<KeptCluster> {
  const kubeconfig = path.join(world.directory, 'own-kubeconfig')
  const cli = world.start('cluster', '--data-dir', dataOf(world), '--kubeconfig', kubeconfig, '--json')
  void cli.ended
  await until('the cluster is ready', 120_000, () => cli.stdout().includes('kubeconfig') || cli.stderr() !== '')
  if (cli.stderr() !== '') throw new Error(cli.stderr())
  const cpuMs = cpuMsOf(cli.child.pid ?? 0)
  const { clusters, users } = parse(readFileSync(kubeconfig, 'utf8'))
  const ca = Buffer.from(clusters[0].cluster['certificate-authority-data'], 'base64').toString()
  const url = clusters[0].cluster.server
  const client = httpClient({ origin: url, tls: { ca } })
  const headers = { authorization: `Bearer ${users[0].user.token}` }
  const send: Send = (method, target, body) => {
    const content = body === undefined ? noBody : jsonBody(body)
    return client.transport({ method, path: target, query: {}, headers, body: content, expect: 'whole' })
  }
  const end = async (signal: NodeJS.Signals) => {
    cli.child.kill(signal)
    await cli.ended
    await client.close()
  }
  return { cli, send, cpuMs, url, end }
}

/** Linux counts the processor time in hundredths of a second. */
function cpuMsOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(' ')
  return (Number(fields[13]) + Number(fields[14])) * 10
}

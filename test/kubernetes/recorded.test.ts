// Repeats the recorded calls on the cluster in KUBECONFIG and compares the answers with the recorded ones. `vitest -u` records them again.
import { callsFile, type Exchange, exchanges } from '@dayfly/cluster/api/recorded/calls.fixture'
import { play } from '@dayfly/cluster/api/recorded/play.fixture'
import { jsonBody, noBody, type Transport } from '@dayfly/kit/http'
import { randomName } from '@dayfly/kit/ids'
import { systemClock, systemRandom } from '@dayfly/kit/system'
import { connect } from '@dayfly/kubernetes/connect'
import { loadKubeconfig } from '@dayfly/kubernetes/kubeconfig'
import { describe, expect, it } from 'vitest'
import { kubeconfig, whyNone } from './cluster.ts'

async function playOn(file: string): Promise<readonly Exchange[]> {
  const cluster = await connect(await loadKubeconfig(file), systemClock())
  const { transport } = cluster
  const clock = systemClock()
  const namespace = `recorded-${randomName(systemRandom(), 5)}`
  try {
    await send(transport, 'POST', '/api/v1/namespaces', { metadata: { name: namespace } })
    const account = `/api/v1/namespaces/${namespace}/serviceaccounts/default`
    for (let tries = 0; tries < 100 && (await send(transport, 'GET', account)) !== 200; tries++) await clock.sleep(100)
    return await play(exchanges, { transport, namespace, clock })
  } finally {
    await send(transport, 'DELETE', `/api/v1/namespaces/${namespace}`)
    await cluster.close()
  }
}

async function send(transport: Transport, method: 'GET' | 'POST' | 'DELETE', path: string, body?: object) {
  const headers: Record<string, string> = body ? { 'content-type': 'application/json' } : {}
  const answer = await transport({
    method,
    path,
    query: {},
    headers,
    body: body ? jsonBody(body) : noBody,
    expect: 'whole',
  })
  return answer.status
}

describe('the recorded answers', () => {
  it('match those of a real cluster', async (context) => {
    if (!kubeconfig) return context.skip(whyNone)
    const lines = (await playOn(kubeconfig)).map((exchange) => JSON.stringify(exchange))
    await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot(callsFile.pathname)
  })
})

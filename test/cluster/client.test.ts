// Runs the client's test suite on the embedded cluster. test/kubernetes/client.test.ts runs the same suite on a real cluster.
import { createCluster } from '@dayfly/cluster/cluster'
import { createScriptedRuntime } from '@dayfly/cluster/runtime/scripted/scripted-runtime'
import { systemClock, systemRandom } from '@dayfly/kit/system'
import { connect } from '@dayfly/kubernetes/connect'
import { clientSuite } from '../kubernetes/client-suite.ts'

clientSuite('client on the embedded cluster', openEmbedded)

async function openEmbedded() {
  const clock = systemClock()
  const runtime = createScriptedRuntime({ clock, script: () => ({}) })
  const cluster = createCluster({ clock, random: systemRandom(), runtime, users: new Map([['token', 'admin']]) })
  const { origin, ca } = await cluster.listen()
  const server = { server: origin, namespace: 'default', tls: { ca } }
  const connection = connect({ ...server, token: { kind: 'fixed', token: 'token' } }, clock)
  const close = async () => {
    await connection.close()
    await cluster.stop()
  }
  return { transport: connection.transport, close }
}

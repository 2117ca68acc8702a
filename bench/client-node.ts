// Measures the informer of @kubernetes/client-node for the client benchmark, used as its documentation shows.
import { CoreV1Api, KubeConfig, makeInformer } from '@kubernetes/client-node'
import { podName } from './client-pods.ts'
import { report } from './client-report.ts'

const config = new KubeConfig()
config.loadFromClusterAndUser(
  { name: 'bench', server: process.argv[2] ?? '', skipTLSVerify: true },
  { name: 'bench', token: 'none' },
)
const api = config.makeApiClient(CoreV1Api)
const informer = makeInformer(config, '/api/v1/namespaces/ci/pods', () => api.listNamespacedPod({ namespace: 'ci' }))
const last = new Promise<void>((resolve) => {
  informer.on('delete', (pod) => {
    if (pod.metadata?.name === podName(0)) resolve()
  })
})
informer.on('error', (error) => process.stderr.write(`client-node: ${String(error)}\n`))
await informer.start()
await last
report(informer.list().map((pod) => pod.metadata?.name ?? ''))
process.exit(0)

// Provides a workspace at Bitbucket for the guide, and a cluster with Atlassian's autoscaler, which the page about the migration takes for granted.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { configMaps, object, secrets } from '../client-place.ts'
import { importImages } from './images.ts'
import { oldAutoscaler, oldNamespace } from './old-autoscaler.ts'
import type { Node } from './open-node.ts'
import { createOperator } from './operator.ts'
import { atForge, consumerKey, openBitbucket } from './outside-bitbucket.ts'

export type GuideBitbucket = Awaited<ReturnType<typeof openGuideBitbucket>>

const configuration = (namespace: string) => `groups:
  - name: builds
    workspace: acme
    labels: [docker]
    namespace: ${namespace}
    strategy: percentageRunnersIdle
    parameters: { min: 1, max: 4, scale_up_threshold: 0.5, scale_down_threshold: 0.2, scale_up_multiplier: 1.5, scale_down_multiplier: 0.5 }
`

export async function openGuideBitbucket(kubeconfig: string, node: Node) {
  const forge = await openBitbucket(50)
  const nearby = await forge.nearby()
  const operator = createOperator(kubeconfig)
  return {
    forge,
    /** The credential of the commands. */
    credential: `BITBUCKET_OAUTH_CLIENT_ID=${consumerKey}\nBITBUCKET_OAUTH_CLIENT_SECRET=${forge.token}\n`,
    /** Commands send a credential in clear text only to this machine. */
    workspace: nearby.url,
    /** Installs the old autoscaler with two runners. @param namespace of the runners */
    install: async (namespace: string): Promise<void> => {
      await importImages()
      await node.enter(oldNamespace)
      const old = oldAutoscaler(node, forge, operator, namespace)
      const files = {
        'runners-autoscaler-config': { 'runners_config.yaml': configuration(namespace) },
        'runners-autoscaler-job-template': { 'job.yaml.template': old.template },
      }
      for (const [name, data] of Object.entries(files))
        await node.kubernetes.create(configMaps, object('v1', 'ConfigMap', { name, namespace: oldNamespace }, { data }))
      const stringData = { bitbucketOauthClientId: consumerKey, bitbucketOauthClientSecret: forge.token }
      const metadata = { name: 'runner-bitbucket-credentials', namespace: oldNamespace }
      await node.kubernetes.create(secrets, object('v1', 'Secret', metadata, { stringData }))
      await old.deploy()
      for (const name of ['old-1', 'old-2']) await old.start(name, 'docker')
    },
    /** Makes the RunnerSets of the import name the emulated Bitbucket. The node cannot reach the real one. */
    redirect: (folder: string): void => {
      for (const name of readdirSync(folder).filter((each) => each.endsWith('.yaml'))) {
        const file = path.join(folder, name)
        writeFileSync(file, atForge(readFileSync(file, 'utf8'), forge))
      }
    },
    /** Names what the page must not leave of the old installation and of its own sets. */
    left: () => forge.control.runners().map(({ name, status }) => `${name} ${status}`),
    close: async () => {
      operator.close()
      await nearby.close()
      await forge.close()
    },
  }
}

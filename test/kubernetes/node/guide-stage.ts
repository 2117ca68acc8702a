// Everything that the guide takes for granted: a cluster with a node, a registry, and a forge with an account, a token and an App.
import { execFile } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import type { GuidePage } from '../../dayfly/guide-pages.ts'
import { openGuideBitbucket } from './guide-bitbucket.ts'
import { openRegistry } from './guide-registry.ts'
import { createShell } from './guide-shell.ts'
import { imageArchives, nodeOfRun } from './images.ts'
import { openNode } from './open-node.ts'
import { openForge } from './outside-forge.ts'

export type GuideStage = Awaited<ReturnType<typeof openGuideStage>>

const run = promisify(execFile)

/** The first page's number of the App. */
const appId = 123_456

export async function openGuideStage(kubeconfig: string) {
  const node = await openNode(kubeconfig)
  const { publicKey, privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
  })
  const forge = await openForge(50, [{ id: appId, publicKey, installations: [{ id: 10, account: 'acme' }] }])
  const nearby = await forge.nearby()
  const bitbucket = await openGuideBitbucket(kubeconfig, node)
  const containerd = path.join(nodeOfRun().run, 'containerd.sock')
  const shell = createShell(kubeconfig, containerd)
  const registry = await openRegistry(['ghcr.io'])
  // The default template names GitHub's image. Here the registry has the small runner under this name.
  const [, runner = ''] = await imageArchives()
  await registry.push(runner, path.join(shell.folder, 'runner-image'), 'actions/actions-runner:latest')
  const file = (name: string, text: string): string => {
    const target = path.join(shell.folder, name)
    writeFileSync(target, text)
    return target
  }
  const files = {
    // Editors and `echo` end a file with a line break.
    GITHUB_TOKEN_FILE: file('token', `${forge.token}\n`),
    APP_KEY_FILE: file('app.pem', privateKey),
    // The page of Bitbucket needs no answer of its forge.
    CONSUMER_SECRET_FILE: file('consumer-secret', 'secret'),
    BITBUCKET_CREDENTIAL_FILE: file('bitbucket.env', bitbucket.credential),
  }
  return {
    node,
    forge,
    bitbucket,
    shell,
    file,
    /** The values of a reader for the variables of a page. */
    own: (page: GuidePage) => ({
      ...files,
      APP_ID: String(appId),
      BITBUCKET_WORKSPACE: bitbucket.workspace,
      DAYFLY_IMAGE: `${registry.address}/dayfly`,
      // `dayfly sweep` sends a token in clear text only to this machine.
      // The files of the other pages have the URL as a field of `github`.
      GITHUB_URL: page === 'operate' ? nearby.url : `${forge.url}\n    plainHttp: true`,
    }),
    close: async () => {
      await node.close()
      await bitbucket.close()
      await nearby.close()
      await forge.close()
      await registry.close()
      // The kubelet has replaced the image of this name that other tests use.
      for (const archive of nodeOfRun().images)
        await run('ctr', ['-a', containerd, '-n', 'k8s.io', 'images', 'import', archive])
      shell.close()
    },
  }
}

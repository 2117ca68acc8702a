// A kubeconfig for one server and one user with a token.
import { stringify } from 'yaml'

export type KubeconfigOptions = {
  /** For example `https://127.0.0.1:6443`. Over plain HTTP kubectl and other Go clients send no token. */
  readonly server: string
  /** PEM: the certificate to trust. */
  readonly ca: string
  readonly user: string
  readonly token: string
  /** The name of cluster and context. */
  readonly cluster?: string
  readonly namespace?: string
}

/** The file's text. It holds a credential: write it readable by its owner only. */
export function kubeconfigText(options: KubeconfigOptions): string {
  const { server, ca, user, token, cluster = 'dayfly', namespace = 'default' } = options
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': cluster,
    clusters: [
      { name: cluster, cluster: { server, 'certificate-authority-data': Buffer.from(ca).toString('base64') } },
    ],
    users: [{ name: user, user: { token } }],
    contexts: [{ name: cluster, context: { cluster, user, namespace } }],
  })
}

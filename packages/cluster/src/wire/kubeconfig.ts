// Writes a kubeconfig for one server and one user with a token.
import { stringify } from 'yaml'

type KubeconfigOptions = {
  /** The URL, such as `https://127.0.0.1:6443`. kubectl and other Go clients send no token over plain HTTP. */
  readonly server: string
  /** The PEM certificate to trust. */
  readonly ca: string
  readonly user: string
  readonly token: string
}

/** Returns the text of the file. It contains a credential: make the file readable by its owner only. */
export function kubeconfigText(options: KubeconfigOptions): string {
  const { server, ca, user, token } = options
  const cluster = 'dayfly'
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': cluster,
    clusters: [
      { name: cluster, cluster: { server, 'certificate-authority-data': Buffer.from(ca).toString('base64') } },
    ],
    users: [{ name: user, user: { token } }],
    contexts: [{ name: cluster, context: { cluster, user, namespace: 'default' } }],
  })
}

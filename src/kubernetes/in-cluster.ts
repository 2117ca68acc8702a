// What a pod is given to reach the API server of its own cluster (Kubernetes: "Accessing the Kubernetes API from a Pod").
import { X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { isIPv6 } from 'node:net'
import { join } from 'node:path'
import type { Kubeconfig } from './kubeconfig.ts'
import { KubeconfigError } from './kubeconfig-error.ts'

/** Where a kubelet mounts the ServiceAccount, unless a pod says otherwise. */
export const serviceAccountFolder = '/var/run/secrets/kubernetes.io/serviceaccount'

export type PodSurroundings = {
  readonly environment: Readonly<Record<string, string | undefined>>
  /** With the files `token`, `ca.crt` and `namespace`. */
  readonly folder: string
}

/** Undefined outside a pod. Throws a KubeconfigError in a pod that was given no usable ServiceAccount. The token is read again while connected: the kubelet rotates it. */
export async function loadInCluster({ environment, folder }: PodSurroundings): Promise<Kubeconfig | undefined> {
  const host = environment['KUBERNETES_SERVICE_HOST']
  const port = environment['KUBERNETES_SERVICE_PORT']
  if (!host || !port) return undefined
  const server = `https://${isIPv6(host) ? `[${host}]` : host}:${port}`
  if (!URL.canParse(server)) {
    const next = 'Unset KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT, or name a kubeconfig.'
    throw unusable(folder, `KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT make no address: ${server}.`, next)
  }
  const token = join(folder, 'token')
  if ((await read(token)) === '') throw unusable(token, 'It is empty.', mountNext)
  const ca = await read(join(folder, 'ca.crt'))
  if (!isCertificate(ca)) throw unusable(join(folder, 'ca.crt'), 'It is not a PEM certificate.', mountNext)
  return {
    server,
    context: 'in-cluster',
    namespace: (await readFile(join(folder, 'namespace'), 'utf8').catch(() => '')).trim() || 'default',
    tls: { ca },
    token: { kind: 'file', path: token },
  }
}

const mountNext =
  "Let the pod mount its ServiceAccount's token (automountServiceAccountToken: true), or name a kubeconfig."

async function read(file: string): Promise<string> {
  try {
    return (await readFile(file, 'utf8')).trim()
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw unusable(file, `It cannot be read (${code ?? 'unknown cause'}), though this is a pod.`, mountNext)
  }
}

function isCertificate(text: string): boolean {
  try {
    return new X509Certificate(text).raw.length > 0
  } catch {
    return false
  }
}

function unusable(file: string, sentence: string, next: string): KubeconfigError {
  return new KubeconfigError('service-account-unusable', file, { at: '', sentence, next })
}

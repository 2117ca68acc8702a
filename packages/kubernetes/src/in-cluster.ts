// Reads the ServiceAccount with which a pod reaches the API server of its own cluster
// (https://kubernetes.io/docs/tasks/run-application/access-api-from-pod/).
import { X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { isIPv6 } from 'node:net'
import { join } from 'node:path'
import type { Kubeconfig } from './kubeconfig.ts'
import { KubeconfigError } from './kubeconfig-error.ts'

/** The directory where the kubelet mounts the ServiceAccount by default. */
export const serviceAccountFolder = '/var/run/secrets/kubernetes.io/serviceaccount'

export type PodSurroundings = {
  readonly environment: Readonly<Record<string, string | undefined>>
  /** The directory with the files `token`, `ca.crt` and `namespace`. */
  readonly folder: string
}

/**
 * Returns how to reach the pod's own cluster, or undefined outside a pod. Throws a KubeconfigError if the pod has no usable ServiceAccount.
 * The connection reads the token file again and again, because the kubelet rotates the token.
 */
export async function loadInCluster({ environment, folder }: PodSurroundings): Promise<Kubeconfig | undefined> {
  const host = environment['KUBERNETES_SERVICE_HOST']
  const port = environment['KUBERNETES_SERVICE_PORT']
  if (!host || !port) return undefined
  const server = `https://${isIPv6(host) ? `[${host}]` : host}:${port}`
  if (!URL.canParse(server)) {
    const next = 'Unset both variables, or pass a kubeconfig with --kubeconfig.'
    const sentence = `KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT do not form a valid URL: ${server}.`
    throw unusable(folder, sentence, next)
  }
  const token = join(folder, 'token')
  if ((await read(token)) === '') throw unusable(token, 'The file is empty.', mountNext)
  const ca = await read(join(folder, 'ca.crt'))
  if (!isCertificate(ca)) throw unusable(join(folder, 'ca.crt'), 'The file is not a PEM certificate.', mountNext)
  return {
    server,
    namespace: (await readFile(join(folder, 'namespace'), 'utf8').catch(() => '')).trim() || 'default',
    tls: { ca },
    token: { kind: 'file', path: token },
  }
}

const mountNext = 'Set automountServiceAccountToken: true in the pod, or pass a kubeconfig with --kubeconfig.'

async function read(file: string): Promise<string> {
  try {
    return (await readFile(file, 'utf8')).trim()
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw unusable(file, `The pod's ServiceAccount file cannot be read (${code ?? 'unknown cause'}).`, mountNext)
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

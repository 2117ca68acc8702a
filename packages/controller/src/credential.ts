// The objects of a set's namespace that hold its way to the forge: the credential, the proxy's credential, and private certificates.
import { KubernetesError } from '@dayfly/kubernetes/errors'
import type { Kubernetes } from '@dayfly/kubernetes/kubernetes'
import type { Resource } from '@dayfly/kubernetes/types'
import type { ForgeAccess } from '@dayfly/runner-set/forge/forge'
import type { SecretEntries } from '@dayfly/runner-set/model/credential'
import type { Failure } from '@dayfly/runner-set/model/failure'
import type { CertificateSource, RunnerSet } from '@dayfly/runner-set/model/runner-set'
import { configMaps, secrets } from './resources.ts'

/** The set names a Secret, a ConfigMap or a key that does not exist. */
export class MissingAccess extends Error {
  readonly failure: Failure

  constructor(message: string, reason: Failure['reason']) {
    super(message)
    this.failure = { reason, message }
  }
}

/** Reads each object by name; Dayfly never lists Secrets. Rejects with a `MissingAccess` or a `KubernetesError`. */
export async function readAccess(kubernetes: Kubernetes, set: RunnerSet, signal: AbortSignal): Promise<ForgeAccess> {
  const { namespace, source } = set
  const read = (resource: Resource, name: string) => readObject(kubernetes, resource, { namespace, name }, signal)
  const proxySecret = source.proxy?.credentialsSecret
  const [credential, proxyCredential, ca] = await Promise.all([
    read(secrets, source.credentialsSecret).then(secretEntries),
    proxySecret === undefined ? undefined : read(secrets, proxySecret).then(secretEntries),
    source.ca && readCa(source.ca, namespace, read),
  ])
  return { credential, proxyCredential, ca }
}

/** Returns whether two readings hold the same entries. */
export function sameAccess(left: ForgeAccess, right: ForgeAccess): boolean {
  const same = (one: SecretEntries = {}, other: SecretEntries = {}) => {
    const keys = Object.keys(one)
    return keys.length === Object.keys(other).length && keys.every((key) => one[key] === other[key])
  }
  const isSameProxy = same(left.proxyCredential, right.proxyCredential)
  return same(left.credential, right.credential) && isSameProxy && left.ca === right.ca
}

type Content = Readonly<Record<string, string>>
type Read = (resource: Resource, name: string) => Promise<Content>

async function readObject(
  kubernetes: Kubernetes,
  resource: Resource,
  where: { readonly namespace: string; readonly name: string },
  signal: AbortSignal,
): Promise<Content> {
  try {
    const object = await kubernetes.get(resource, where, { signal })
    return (object['data'] ?? {}) as Content
  } catch (error) {
    if (!(error instanceof KubernetesError) || error.kind !== 'not-found') throw error
    const reason = resource === secrets ? 'forge-unauthorized' : 'forge-misconfigured'
    throw new MissingAccess(`the ${resource.kind} ${where.namespace}/${where.name} does not exist`, reason)
  }
}

async function readCa({ kind, name, key }: CertificateSource, namespace: string, read: Read): Promise<string> {
  const content = kind === 'secret' ? secretEntries(await read(secrets, name)) : await read(configMaps, name)
  const text = content[key]
  if (text !== undefined) return text
  const object = `the ${kind === 'secret' ? 'Secret' : 'ConfigMap'} ${namespace}/${name}`
  throw new MissingAccess(`${object} has no key ${key} with the certificates of the forge`, 'forge-misconfigured')
}

function secretEntries(data: Content): SecretEntries {
  const decode = (value: string) => Buffer.from(value, 'base64').toString('utf8').trim()
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, decode(value)]))
}

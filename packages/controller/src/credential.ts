// The objects of a set's namespace that hold its way to the forge: the credential, the proxy's credential, and private certificates.
import { KubernetesError } from '@dayfly/kubernetes/errors'
import type { Kubernetes } from '@dayfly/kubernetes/kubernetes'
import type { Resource } from '@dayfly/kubernetes/types'
import type { ForgeAccess } from '@dayfly/runner-set/forge/forge'
import type { SecretEntries } from '@dayfly/runner-set/model/credential'
import type { Failure } from '@dayfly/runner-set/model/failure'
import { forgeTraits } from '@dayfly/runner-set/model/forge-traits'
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

/** `runnerProxy`: the entries of the Secret of the runners' proxy, `username` and `password`. */
export type Access = ForgeAccess & { readonly runnerProxy?: SecretEntries | undefined }

/** Reads each object by name; Dayfly never lists Secrets. Rejects with a `MissingAccess` or a `KubernetesError`. */
export async function readAccess(kubernetes: Kubernetes, set: RunnerSet, signal: AbortSignal): Promise<Access> {
  const { namespace, source, network } = set
  const read = (resource: Resource, name: string, options?: string) =>
    readObject(kubernetes, { resource, at: { namespace, name }, options }, signal)
  const readLogin = (secret: string | undefined) =>
    secret === undefined
      ? undefined
      : read(secrets, secret, '--from-file=username=FILE --from-file=password=FILE').then(secretEntries)
  const { secretOptions } = forgeTraits[source.kind]
  const [own, others] = [source.proxy?.credentialsSecret, network.proxy?.credentialsSecret]
  const ownLogin = readLogin(own)
  const [credential, proxyCredential, runnerProxy, ca] = await Promise.all([
    read(secrets, source.credentialsSecret, secretOptions).then(secretEntries),
    ownLogin,
    others === own ? ownLogin : readLogin(others),
    source.ca && readCa(source.ca, namespace, read),
  ])
  if (others !== own && runnerProxy && runnerProxy['username'] === undefined) {
    const message = `the Secret ${namespace}/${others} of spec.runner.proxy has no key username`
    throw new MissingAccess(message, 'forge-misconfigured')
  }
  return { credential, proxyCredential, ca, runnerProxy }
}

/** Returns whether two readings hold the same entries. */
export function sameAccess(left: Access, right: Access): boolean {
  const same = (one: SecretEntries = {}, other: SecretEntries = {}) => {
    const keys = Object.keys(one)
    return keys.length === Object.keys(other).length && keys.every((key) => one[key] === other[key])
  }
  const isSameProxy = same(left.proxyCredential, right.proxyCredential) && same(left.runnerProxy, right.runnerProxy)
  return same(left.credential, right.credential) && isSameProxy && left.ca === right.ca
}

type Content = Readonly<Record<string, string>>
type Read = (resource: Resource, name: string) => Promise<Content>

/** `options`: those of `kubectl create secret generic` for a Secret that is missing. */
type Wanted = {
  readonly resource: Resource
  readonly at: { readonly namespace: string; readonly name: string }
  readonly options: string | undefined
}

async function readObject(
  kubernetes: Kubernetes,
  { resource, at, options }: Wanted,
  signal: AbortSignal,
): Promise<Content> {
  try {
    const object = await kubernetes.get(resource, at, { signal })
    return (object['data'] ?? {}) as Content
  } catch (error) {
    if (!(error instanceof KubernetesError) || error.kind !== 'not-found') throw error
    const { namespace, name } = at
    const create = options === undefined ? '' : `: kubectl create secret generic ${name} -n ${namespace} ${options}`
    throw new MissingAccess(`the ${resource.kind} ${namespace}/${name} does not exist${create}`, 'forge-misconfigured')
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

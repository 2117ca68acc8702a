// Keeps what every namespace has: the ServiceAccount `default` and the certificate of the API server in `kube-root-ca.crt`. Fills
// the Secrets that hold the token of a service account.
import { ApiError } from '../api/errors.ts'
import type { Registry } from '../api/registry.ts'
import type { Tokens } from '../api/tokens.ts'
import { field, sameJson, text } from '../api/values/json.ts'
import type { StoredObject } from '../store/object.ts'
import { ignoreRefusal } from './ignore-refusal.ts'

type Options = { readonly registry: Registry; readonly tokens: Tokens; readonly certificate: string }

const rootName = 'kube-root-ca.crt'
const describing = 'kubernetes.io/description'
const description =
  'Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.'

/** Starts it. Returns a function that stops it. */
export function startNamespaceDefaults(options: Options): () => void {
  const { registry } = options
  const stops = [
    registry.subscribe('namespaces', ({ type, object }) => {
      if (type !== 'DELETED') addDefaults(options, object.metadata.name)
    }),
    registry.subscribe('serviceaccounts', ({ type, object }) => {
      if (type === 'DELETED' && object.metadata.name === 'default') addDefaults(options, object.metadata.namespace)
    }),
    registry.subscribe('configmaps', ({ type, object }) => {
      if (object.metadata.name !== rootName) return
      if (type === 'DELETED') addDefaults(options, object.metadata.namespace)
      else restoreRoot(options, object)
    }),
    registry.subscribe('secrets', ({ type, object }) => {
      if (type !== 'DELETED') fillTokenSecret(options, object)
    }),
  ]
  for (const { metadata } of registry.list('namespaces')) addDefaults(options, metadata.name)
  return () => {
    for (const stop of stops) stop()
  }
}

function addDefaults({ registry, certificate }: Options, namespace = ''): void {
  const found = registry.get('namespaces', undefined, namespace)
  if (found === undefined || found.metadata.deletionTimestamp !== undefined) return
  if (registry.get('serviceaccounts', namespace, 'default') === undefined) {
    registry.create('serviceaccounts', { metadata: { name: 'default', namespace } })
  }
  if (registry.get('configmaps', namespace, rootName) !== undefined) return
  registry.create('configmaps', {
    metadata: { name: rootName, namespace, annotations: { [describing]: description } },
    data: { 'ca.crt': certificate },
  })
}

/** Nobody else may change the certificate. */
function restoreRoot({ registry, certificate }: Options, object: StoredObject): void {
  const data = { 'ca.crt': certificate }
  if (!sameJson(object['data'], data)) ignoreRefusal(() => void registry.update('configmaps', { ...object, data }))
}

function fillTokenSecret({ registry, tokens, certificate }: Options, secret: StoredObject): void {
  if (secret['type'] !== 'kubernetes.io/service-account-token') return
  const { namespace = '', annotations = {} } = secret.metadata
  const account = annotations['kubernetes.io/service-account.name'] ?? ''
  const issued = tokens.issue({ namespace, account })
  if (issued === undefined || text(secret, 'data', 'token') !== '') return
  const uid = field(registry.get('serviceaccounts', namespace, account), 'metadata', 'uid')
  const base64 = (content: string): string => Buffer.from(content).toString('base64')
  const data = { 'ca.crt': base64(certificate), namespace: base64(namespace), token: base64(issued.token) }
  const metadata = { ...secret.metadata, annotations: { ...annotations, 'kubernetes.io/service-account.uid': uid } }
  try {
    registry.update('secrets', { ...secret, metadata, data: { ...Object(secret['data']), ...data } })
  } catch (error) {
    // Another writer was faster. Its change is the next event.
    if (!(error instanceof ApiError)) throw error
  }
}

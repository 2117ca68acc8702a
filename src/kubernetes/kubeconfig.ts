// One kubeconfig file and one context of it, resolved to what a connection needs. What is not supported (several files merged, proxies) is refused
// with its name rather than ignored.
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import {
  askPlugin,
  type Credential,
  type CredentialAnswer,
  type PluginCluster,
  type PluginHost,
} from './credential-plugin.ts'
import { KubeconfigError, type KubeconfigErrorCode } from './kubeconfig-error.ts'
import {
  type KubeconfigCluster,
  type KubeconfigFile,
  type KubeconfigUser,
  parseKubeconfig,
} from './kubeconfig-schema.ts'

export type Kubeconfig = {
  /** Scheme, host, port and, where a proxy serves several clusters, a path; without a trailing slash. */
  readonly server: string
  readonly context: string
  /** The context's namespace, `default` unless it says so. */
  readonly namespace: string
  readonly tls: {
    /** PEM, as are `cert` and `key`. Absent: the system's authorities. */
    readonly ca?: string
    readonly cert?: string
    readonly key?: string
    readonly servername?: string
    readonly rejectUnauthorized?: boolean
  }
  /** A file is read again while connected: what writes it may rotate the token. A plugin is asked again when its credential ends. */
  readonly token:
    | { readonly kind: 'none' }
    | { readonly kind: 'fixed'; readonly token: string }
    | { readonly kind: 'file'; readonly path: string }
    | { readonly kind: 'plugin'; readonly first: Credential; readonly renew: () => Promise<CredentialAnswer> }
}

const bytesMax = 1024 * 1024

/** Reads `file` and resolves `context` (the current one unless given). A user with a credential plugin is refused without `plugins`. Throws a KubeconfigError, which says what to do. */
export async function loadKubeconfig(file: string, context?: string, plugins?: PluginHost): Promise<Kubeconfig> {
  const config = parseKubeconfig(await readSmall(file, { file, at: '' }), file)
  const name = context ?? config['current-context'] ?? ''
  const { cluster: clusterName, user: userName = '', namespace = 'default' } = contextOf(config, name, file)
  const cluster = entryOf(config.clusters, clusterName, { file, kind: 'cluster', context: name }).cluster
  const user = userName === '' ? {} : entryOf(config.users, userName, { file, kind: 'user', context: name }).user
  const clusterAt = { file, at: `clusters[name=${clusterName}].cluster` }
  const userAt = { file, at: `users[name=${userName}].user` }
  refuseUnsupported(cluster, clusterAt)
  refuseUnsupported(user, userAt)
  const server = serverOf(cluster.server, clusterAt)
  const tls = { ...(await authorityOf(cluster, clusterAt)), ...(await certificateOf(user, userAt)) }
  const token = (await pluginOf(user, userAt, { cluster: { server, tls }, plugins })) ?? tokenOf(user, file)
  return { server, context: name, namespace, tls, token }
}

type Place = { readonly file: string; readonly at: string }

function fail(code: KubeconfigErrorCode, place: Place, sentence: string, next: string): never {
  throw new KubeconfigError(code, place.file, { at: place.at, sentence, next })
}

function contextOf(config: KubeconfigFile, name: string, file: string) {
  const known = config.contexts.map((entry) => entry.name).join(', ') || 'none'
  const found = config.contexts.find((entry) => entry.name === name)
  if (found) return found.context
  const at = name === '' ? 'current-context' : 'contexts'
  const sentence = name === '' ? 'No context is chosen.' : `There is no context "${name}".`
  return fail('kubeconfig-invalid', { file, at }, sentence, `Choose one of: ${known}.`)
}

function entryOf<Entry extends { readonly name: string }>(
  entries: readonly Entry[],
  name: string,
  { file, kind, context }: { readonly file: string; readonly kind: string; readonly context: string },
): Entry {
  const found = entries.find((entry) => entry.name === name)
  if (found) return found
  const place = { file, at: `contexts[name=${context}].context.${kind}` }
  return fail(
    'kubeconfig-invalid',
    place,
    `There is no ${kind} "${name}".`,
    `Add it under ${kind}s, or correct the name.`,
  )
}

const unsupported: Readonly<Record<string, string>> = {
  'auth-provider': 'Kubernetes removed these providers in 1.26; use a token or a client certificate.',
  username: 'Kubernetes removed basic authentication in 1.19; use a token or a client certificate.',
  as: 'Use the credentials of the account itself.',
  'proxy-url': 'Run `kubectl proxy` and name a kubeconfig whose server is http://127.0.0.1:8001.',
}

function refuseUnsupported(entry: KubeconfigCluster | KubeconfigUser, place: Place): void {
  for (const [field, next] of Object.entries(unsupported)) {
    if ((entry as Readonly<Record<string, unknown>>)[field] === undefined) continue
    fail('kubeconfig-unsupported', { ...place, at: `${place.at}.${field}` }, `${field} is not supported.`, next)
  }
}

function serverOf(server: string, place: Place): string {
  const url = URL.canParse(server) ? new URL(server) : undefined
  if (url && /^https?:$/.test(url.protocol) && !url.search && !url.hash && !url.username) {
    return `${url.origin}${url.pathname}`.replace(/\/+$/, '')
  }
  const at = { ...place, at: `${place.at}.server` }
  return fail(
    'kubeconfig-invalid',
    at,
    `"${server}" is no address of a server.`,
    'Write it like https://10.0.0.1:6443.',
  )
}

async function authorityOf(cluster: KubeconfigCluster, place: Place): Promise<Kubeconfig['tls']> {
  const ca = await pem(cluster, 'certificate-authority', place)
  const insecure = cluster['insecure-skip-tls-verify'] === true
  if (ca !== undefined && insecure) {
    const at = { ...place, at: `${place.at}.insecure-skip-tls-verify` }
    fail('kubeconfig-invalid', at, 'It contradicts the certificate authority beside it.', 'Remove one of the two.')
  }
  if (ca !== undefined) readCertificate(ca, { ...place, at: `${place.at}.certificate-authority` })
  return {
    ...(ca === undefined ? {} : { ca }),
    ...(insecure ? { rejectUnauthorized: false } : {}),
    ...(cluster['tls-server-name'] ? { servername: cluster['tls-server-name'] } : {}),
  }
}

async function certificateOf(user: KubeconfigUser, place: Place): Promise<Kubeconfig['tls']> {
  const cert = await pem(user, 'client-certificate', place)
  const key = await pem(user, 'client-key', place)
  if (cert === undefined && key === undefined) return {}
  if (cert === undefined || key === undefined) {
    const missing = cert === undefined ? 'client-certificate' : 'client-key'
    return fail('kubeconfig-credential', place, `${missing} is missing.`, `Add ${missing} or ${missing}-data.`)
  }
  const certificate = readCertificate(cert, { ...place, at: `${place.at}.client-certificate` })
  const keyPlace = { ...place, at: `${place.at}.client-key` }
  if (!certificate.checkPrivateKey(readKey(key, keyPlace))) {
    fail(
      'kubeconfig-credential',
      keyPlace,
      'It is not the key of the client certificate.',
      'Use the pair that was issued together.',
    )
  }
  return { cert, key }
}

function tokenOf(user: KubeconfigUser, file: string): Kubeconfig['token'] {
  if (user.tokenFile) return { kind: 'file', path: resolve(dirname(file), user.tokenFile) }
  return user.token ? { kind: 'fixed', token: user.token.trim() } : { kind: 'none' }
}

type PluginPlace = { readonly cluster: PluginCluster; readonly plugins: PluginHost | undefined }

/** Asks at once: what is wrong with the plugin shows before the first request. */
async function pluginOf(
  { exec: plugin }: KubeconfigUser,
  userAt: Place,
  { cluster, plugins }: PluginPlace,
): Promise<Kubeconfig['token'] | undefined> {
  if (!plugin) return undefined
  const place = { ...userAt, at: `${userAt.at}.exec` }
  if (!plugins)
    fail('kubeconfig-unsupported', place, 'exec is not supported here.', 'Use a token or a client certificate.')
  // A path is relative to the kubeconfig; a name is looked for in PATH.
  const command = /[\\/]/.test(plugin.command) ? resolve(dirname(place.file), plugin.command) : plugin.command
  const renew = () => askPlugin(plugin, { command, cluster }, plugins)
  const first = await renew()
  if ('token' in first) return { kind: 'plugin', first, renew }
  const hint = plugin.installHint?.trim()
  const next = hint || `Run it by hand to see what it says: ${[plugin.command, ...(plugin.args ?? [])].join(' ')}`
  return fail(
    'kubeconfig-credential',
    place,
    `The credential plugin ${plugin.command} gave no token: ${first.failed}.`,
    next,
  )
}

/** The text of `FIELD-data`, else of the file that `FIELD` names, relative to the kubeconfig. */
async function pem(
  entry: Readonly<Record<string, unknown>>,
  field: 'certificate-authority' | 'client-certificate' | 'client-key',
  place: Place,
): Promise<string | undefined> {
  const data = entry[`${field}-data`]
  if (typeof data === 'string') return Buffer.from(data, 'base64').toString('utf8')
  const path = entry[field]
  if (typeof path !== 'string') return undefined
  return readSmall(resolve(dirname(place.file), path), { ...place, at: `${place.at}.${field}` })
}

function readCertificate(text: string, place: Place): X509Certificate {
  try {
    return new X509Certificate(text)
  } catch {
    return fail(
      'kubeconfig-credential',
      place,
      'It is not a PEM certificate.',
      'Give base64 of PEM as data, or a PEM file.',
    )
  }
}

function readKey(text: string, place: Place) {
  try {
    return createPrivateKey(text)
  } catch {
    return fail(
      'kubeconfig-credential',
      place,
      'It is not an unencrypted PEM key.',
      'Give base64 of PEM as data, or a PEM file.',
    )
  }
}

async function readSmall(path: string, place: Place): Promise<string> {
  // The error begins with the kubeconfig's own path.
  const named = path === place.file ? 'It' : path
  try {
    const { size } = await stat(path)
    if (size > bytesMax) {
      fail('kubeconfig-unreadable', place, `${named} has ${size} bytes, more than ${bytesMax}.`, 'Name the right file.')
    }
    return await readFile(path, 'utf8')
  } catch (error) {
    if (error instanceof KubeconfigError) throw error
    const { code, message } = error as NodeJS.ErrnoException
    if (code !== 'ENOENT')
      fail('kubeconfig-unreadable', place, `${named} cannot be read: ${message}.`, 'Check its permissions.')
    return fail('kubeconfig-missing', place, `${named} does not exist.`, 'Name an existing file.')
  }
}

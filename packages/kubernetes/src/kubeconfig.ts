// Reads one kubeconfig file and resolves one context of it to what a connection needs. An unsupported field (a proxy, for example) is an error,
// never ignored. Files are not merged.
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
  /** Scheme, host and port, without a trailing slash. A path follows if a proxy serves several clusters. */
  readonly server: string
  /** The context's namespace. The default is `default`. */
  readonly namespace: string
  readonly tls: {
    /** The certificate authority. Like `cert` and `key`, it is in PEM. If absent, Node's built-in authorities apply. */
    readonly ca?: string
    readonly cert?: string
    readonly key?: string
    readonly servername?: string
    readonly rejectUnauthorized?: boolean
  }
  /** The source of the bearer token. The connection reads a file again, because its token may rotate, and runs a plugin again before its credential expires. */
  readonly token:
    | { readonly kind: 'none' }
    | { readonly kind: 'fixed'; readonly token: string }
    | { readonly kind: 'file'; readonly path: string }
    | { readonly kind: 'plugin'; readonly first: Credential; readonly renew: () => Promise<CredentialAnswer> }
}

const bytesMax = 1024 * 1024

/** Reads `file` and resolves `context` (default: the current one). Throws a KubeconfigError, also for a user with a credential plugin if `plugins` is missing. */
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
  return { server, namespace, tls, token }
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
  const sentence = name === '' ? 'No current context is set.' : `There is no context "${name}".`
  return fail('kubeconfig-invalid', { file, at }, sentence, `Choose one of these contexts with --context: ${known}.`)
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
  'auth-provider': 'Kubernetes removed these providers in 1.26. Use a token or a client certificate.',
  username: 'Kubernetes removed basic authentication in 1.19. Use a token or a client certificate.',
  as: 'Use the credentials of that account directly.',
  'proxy-url': 'Run `kubectl proxy` and use a kubeconfig whose server is http://127.0.0.1:8001.',
}

function refuseUnsupported(entry: KubeconfigCluster | KubeconfigUser, place: Place): void {
  for (const [field, next] of Object.entries(unsupported)) {
    if ((entry as Readonly<Record<string, unknown>>)[field] === undefined) continue
    const sentence = `Dayfly does not support ${field}.`
    fail('kubeconfig-unsupported', { ...place, at: `${place.at}.${field}` }, sentence, next)
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
    `"${server}" is not the URL of a server.`,
    'Use a URL such as https://10.0.0.1:6443.',
  )
}

async function authorityOf(cluster: KubeconfigCluster, place: Place): Promise<Kubeconfig['tls']> {
  const ca = await pem(cluster, 'certificate-authority', place)
  const insecure = cluster['insecure-skip-tls-verify'] === true
  if (ca !== undefined && insecure) {
    const at = { ...place, at: `${place.at}.insecure-skip-tls-verify` }
    fail('kubeconfig-invalid', at, 'It contradicts certificate-authority.', 'Remove one of the two fields.')
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
      'The key does not belong to the client certificate.',
      'Use the certificate and the key that were issued together.',
    )
  }
  return { cert, key }
}

function tokenOf(user: KubeconfigUser, file: string): Kubeconfig['token'] {
  if (user.tokenFile) return { kind: 'file', path: resolve(dirname(file), user.tokenFile) }
  return user.token ? { kind: 'fixed', token: user.token.trim() } : { kind: 'none' }
}

type PluginPlace = { readonly cluster: PluginCluster; readonly plugins: PluginHost | undefined }

/** Runs the plugin immediately, so that its errors show before the first request. */
async function pluginOf(
  { exec: plugin }: KubeconfigUser,
  userAt: Place,
  { cluster, plugins }: PluginPlace,
): Promise<Kubeconfig['token'] | undefined> {
  if (!plugin) return undefined
  const place = { ...userAt, at: `${userAt.at}.exec` }
  if (!plugins)
    fail(
      'kubeconfig-unsupported',
      place,
      'This command does not run credential plugins.',
      'Use a token or a client certificate.',
    )
  // A path is relative to the kubeconfig. A plain name is found in PATH.
  const command = /[\\/]/.test(plugin.command) ? resolve(dirname(place.file), plugin.command) : plugin.command
  const renew = () => askPlugin(plugin, { command, cluster }, plugins)
  const first = await renew()
  if ('token' in first) return { kind: 'plugin', first, renew }
  const hint = plugin.installHint?.trim()
  const next =
    hint || `Run the plugin yourself to see its output: ${[plugin.command, ...(plugin.args ?? [])].join(' ')}`
  return fail(
    'kubeconfig-credential',
    place,
    `The credential plugin ${plugin.command} returned no token: ${first.failed}.`,
    next,
  )
}

/** Returns the text of `FIELD-data`, or else of the file that `FIELD` names. The file's path is relative to the kubeconfig. */
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
      'Use a PEM file, or a -data field with PEM in base64.',
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
      'Use a PEM file, or a -data field with PEM in base64.',
    )
  }
}

async function readSmall(path: string, place: Place): Promise<string> {
  // The error's message begins with the path of the kubeconfig, so it need not repeat it.
  const named = path === place.file ? 'The file' : path
  try {
    const { size } = await stat(path)
    if (size > bytesMax) {
      const sentence = `${named} has ${size} bytes, more than the limit of ${bytesMax}.`
      fail('kubeconfig-unreadable', place, sentence, 'Check the path: a kubeconfig or a certificate is smaller.')
    }
    return await readFile(path, 'utf8')
  } catch (error) {
    if (error instanceof KubeconfigError) throw error
    const { code, message } = error as NodeJS.ErrnoException
    if (code !== 'ENOENT')
      fail('kubeconfig-unreadable', place, `${named} cannot be read: ${message}.`, "Check the file's permissions.")
    return fail(
      'kubeconfig-missing',
      place,
      `${named} does not exist.`,
      path === place.file ? 'Correct --kubeconfig or KUBECONFIG.' : 'Correct the path in the kubeconfig.',
    )
  }
}

// Gets a token from the credential plugin that a kubeconfig names, as EKS, GKE, AKS and OIDC use them
// (https://kubernetes.io/docs/reference/access-authn-authz/authentication/#client-go-credential-plugins).
// As in kubectl, the kubeconfig decides which program runs: the file must come from a trusted author.
import type { Instant } from '@dayfly/kit/clock'
import * as z from 'zod'
import type { KubeconfigPlugin } from './kubeconfig-schema.ts'

/** One run of the plugin's program. */
type PluginCall = {
  readonly command: string
  readonly args: readonly string[]
  /** Variables in addition to the environment of this process. */
  readonly environment: Readonly<Record<string, string>>
  /** Whether the plugin may ask the operator questions. */
  readonly interactive: boolean
}

/** The text that the plugin printed, or the reason why it failed. The reason completes a sentence that names the plugin. */
export type PluginAnswer = { readonly stdout: string } | { readonly failed: string }
export type PluginHost = {
  /** Whether stdin is a terminal. */
  readonly isTerminal: boolean
  readonly run: (call: PluginCall) => Promise<PluginAnswer>
}

/** A token. If `expiresAt` is undefined, the token is used until the server refuses it. */
export type Credential = { readonly token: string; readonly expiresAt: Instant | undefined }
export type CredentialAnswer = Credential | { readonly failed: string }

const answerSchema = z.object({
  apiVersion: z.string(),
  kind: z.literal('ExecCredential'),
  status: z.object({
    token: z.string().optional(),
    expirationTimestamp: z.string().nullish(),
    clientCertificateData: z.string().optional(),
  }),
})

/** The facts about the cluster that a plugin may receive. `ca` is in PEM. */
export type PluginCluster = {
  readonly server: string
  readonly tls: { readonly ca?: string; readonly servername?: string; readonly rejectUnauthorized?: boolean }
}

/** Runs the plugin once and reads its credential. If `command` is a path, it must be resolved. */
export async function askPlugin(
  plugin: KubeconfigPlugin,
  { command, cluster }: { readonly command: string; readonly cluster: PluginCluster },
  { isTerminal, run }: PluginHost,
): Promise<CredentialAnswer> {
  if (plugin.interactiveMode === 'Always' && !isTerminal)
    return { failed: 'it needs a terminal to ask questions, and stdin is not a terminal' }
  const interactive = isTerminal && plugin.interactiveMode !== 'Never'
  const asked = {
    apiVersion: plugin.apiVersion,
    kind: 'ExecCredential',
    spec: { interactive, ...(plugin.provideClusterInfo ? { cluster: clusterInfo(cluster) } : {}) },
  }
  const own = Object.fromEntries((plugin.env ?? []).map(({ name, value }) => [name, value]))
  const environment = { ...own, KUBERNETES_EXEC_INFO: JSON.stringify(asked) }
  const answer = await run({ command, args: plugin.args ?? [], environment, interactive })
  return 'failed' in answer ? answer : readCredential(answer.stdout, plugin.apiVersion)
}

function clusterInfo({ server, tls }: PluginCluster) {
  return {
    server,
    ...(tls.servername === undefined ? {} : { 'tls-server-name': tls.servername }),
    ...(tls.rejectUnauthorized === false ? { 'insecure-skip-tls-verify': true } : {}),
    ...(tls.ca === undefined ? {} : { 'certificate-authority-data': Buffer.from(tls.ca).toString('base64') }),
  }
}

/** Reads the printed credential. The reasons of failures never contain the printed text, because it may be a secret. */
function readCredential(stdout: string, version: string): CredentialAnswer {
  const parsed = answerSchema.safeParse(asJson(stdout))
  if (!parsed.success) return { failed: 'it did not print an ExecCredential' }
  const { apiVersion, status } = parsed.data
  if (apiVersion !== version) return { failed: `it printed apiVersion ${apiVersion} instead of ${version}` }
  const token = status.token?.trim()
  if (!token) {
    const printed = status.clientCertificateData === undefined ? 'no token' : 'a client certificate but no token'
    return { failed: `it printed ${printed}` }
  }
  if (!/^[\x21-\x7e]+$/.test(token)) return { failed: 'its token contains spaces or non-ASCII characters' }
  const expiresAt = status.expirationTimestamp == null ? Number.NaN : Date.parse(status.expirationTimestamp)
  return { token, expiresAt: Number.isNaN(expiresAt) ? undefined : expiresAt }
}

function asJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

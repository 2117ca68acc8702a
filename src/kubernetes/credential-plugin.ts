// The program that a kubeconfig names for its credentials, as of EKS, GKE, AKS and OIDC (Kubernetes: "client-go credential plugins",
// client.authentication.k8s.io). Which program runs is the kubeconfig's word, as it is for kubectl: whoever writes that file is trusted.
import { z } from 'zod'
import type { Instant } from '../lib/clock.ts'
import type { KubeconfigPlugin } from './kubeconfig-schema.ts'

/** What is asked of the host: one run of the program. */
export type PluginCall = {
  readonly command: string
  readonly args: readonly string[]
  /** In addition to the environment of this process. */
  readonly environment: Readonly<Record<string, string>>
  /** Whether it may ask the person at the terminal. */
  readonly interactive: boolean
}

/** What it printed, or why it gave nothing: the end of a sentence that names it. */
export type PluginAnswer = { readonly stdout: string } | { readonly failed: string }
export type PluginHost = {
  /** Whether a person sits before stdin. */
  readonly isTerminal: boolean
  readonly run: (call: PluginCall) => Promise<PluginAnswer>
}

/** `expiresAt`: undefined where the plugin does not say; then it lasts until it is refused. */
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

/** What a plugin may be told of the cluster. `ca`: PEM. */
export type PluginCluster = {
  readonly server: string
  readonly tls: { readonly ca?: string; readonly servername?: string; readonly rejectUnauthorized?: boolean }
}

/** `command`: resolved, if it is a path. */
export async function askPlugin(
  plugin: KubeconfigPlugin,
  { command, cluster }: { readonly command: string; readonly cluster: PluginCluster },
  { isTerminal, run }: PluginHost,
): Promise<CredentialAnswer> {
  if (plugin.interactiveMode === 'Always' && !isTerminal)
    return { failed: 'it asks questions, and this is no terminal' }
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

/** Never repeats what was printed: it may be a secret. */
function readCredential(stdout: string, version: string): CredentialAnswer {
  const parsed = answerSchema.safeParse(asJson(stdout))
  if (!parsed.success) return { failed: 'it printed no ExecCredential' }
  const { apiVersion, status } = parsed.data
  if (apiVersion !== version) return { failed: `it answered in ${apiVersion}, not in ${version}` }
  const token = status.token?.trim()
  if (!token) {
    const what = status.clientCertificateData === undefined ? 'no token' : 'a client certificate, and no token'
    return { failed: `it gave ${what}` }
  }
  if (!/^[\x21-\x7e]+$/.test(token)) return { failed: 'its token is not one word of ASCII characters' }
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

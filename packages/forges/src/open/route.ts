// The way to the forge of a set: its proxy and its trusted certificates, each its own or those of the environment.
import { readFileSync } from 'node:fs'
import type { SecureContext } from 'node:tls'
import { configuredProxy, environmentProxy, type ProxyChoice } from '@dayfly/kit/proxy'
import { SettingError } from '@dayfly/kit/setting-error'
import { certificatesIn, trustStore } from '@dayfly/kit/trust'
import type { ForgeAccess } from '@dayfly/runner-set/forge/forge'
import { PortError } from '@dayfly/runner-set/model/port-error'
import type { ForgeKind, ForgeSource } from '@dayfly/runner-set/model/runner-set'

/** HTTPS_PROXY, HTTP_PROXY and NO_PROXY for sets without a proxy, and NODE_EXTRA_CA_CERTS. */
type Environment = Readonly<Record<string, string | undefined>>

export type Route = { readonly proxy: ProxyChoice | undefined; readonly trust: SecureContext | undefined }

/** Throws a `PortError` of kind `bad-config` that names the setting and holds no secret. */
export function routeTo({ kind, proxy, ca }: ForgeSource, access: ForgeAccess, environment: Environment): Route {
  const { username, password } = access.proxyCredential ?? {}
  const secret = proxy?.credentialsSecret
  if (access.proxyCredential && username === undefined) {
    const next = 'Store the user name there, and the password in the key password.'
    throw badConfig(kind, `The Secret ${secret} of spec.${kind}.proxy has no key username. ${next}`)
  }
  const choice = setting(kind, `spec.${kind}.proxy.url`, () =>
    proxy ? configuredProxy({ url: proxy.url, username, password, noProxy: proxy.noProxy }) : undefined,
  )
  const own = access.ca
  const object = ca && `The key ${ca.key} of the ${ca.kind === 'secret' ? 'Secret' : 'ConfigMap'} ${ca.name}`
  if (own !== undefined) setting(kind, `${object ?? `spec.${kind}.ca`}`, () => certificatesIn(own))
  const texts = own === undefined ? [] : [own, ...extraCertificates(environment)]
  return {
    proxy: choice ?? setting(kind, 'The environment variable', () => proxyOf(environment)),
    trust: texts.length > 0 ? trustStore(...texts) : undefined,
  }
}

/** Returns undefined if the environment has no proxy: then the client needs no dial of its own. */
function proxyOf(environment: Environment): ProxyChoice | undefined {
  const names = ['https_proxy', 'http_proxy']
  const isSet = names.some((name) => environment[name] || environment[name.toUpperCase()])
  return isSet ? environmentProxy(environment) : undefined
}

/** Node.js adds these certificates to its roots only where no other ones are given. */
function extraCertificates(environment: Environment): readonly string[] {
  const file = environment['NODE_EXTRA_CA_CERTS']
  if (!file) return []
  try {
    return certificatesIn(readFileSync(file, 'utf8'))
  } catch {
    // Node.js itself warns of such a file at the start and goes on.
    return []
  }
}

function setting<T>(kind: ForgeKind, subject: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof SettingError)) throw error
    throw badConfig(kind, `${subject} ${error.message}. Correct it; Dayfly reads it again within a minute.`)
  }
}

function badConfig(kind: ForgeKind, message: string): PortError {
  return new PortError(kind, 'bad-config', message)
}

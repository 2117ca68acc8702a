// The way of the runners to the network: a proxy and private certificates, as environment and a mounted file. The trust store of
// the image stays as it is.
import type { SecretEntries } from '../model/credential.ts'
import type { RunnerSet } from '../model/runner-set.ts'

type Plain = Readonly<Record<string, unknown>>
type Network = RunnerSet['network']

/** Without a proxy and without private certificates. */
export const directNetwork: Network = { proxy: undefined, ca: undefined }

/** The entry of a runner's Secret that holds the URL of the proxy with its login. */
const proxyEntry = 'proxyUrl'
const caFolder = '/etc/dayfly/ca'
const caFile = `${caFolder}/ca.crt`
const caVolume = 'dayfly-ca'

/** Programs read either case, and curl reads only the lower one for http. */
const proxyVariables = ['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy']
const noProxyVariables = ['NO_PROXY', 'no_proxy']
/** Steps talk to servers that they have started themselves. */
const ownMachine = ['localhost', '127.0.0.1', '::1']

/**
 * OpenSSL, .NET and Go read SSL_CERT_FILE in place of their file and then their folder, which has the public certificates
 * (https://docs.openssl.org/master/man3/X509_get_default_cert_file/). Node adds NODE_EXTRA_CA_CERTS.
 */
const caVariables = ['SSL_CERT_FILE', 'NODE_EXTRA_CA_CERTS']

/** Returns the fields that each container of Dayfly's own needs. @param secretName the Secret of the runner */
export function networkOfContainer({ proxy, ca }: Network, secretName: string): Plain {
  return {
    env: [
      ...(proxy ? proxyEnvironment(proxy, secretName) : []),
      ...(ca ? caVariables.map((name) => ({ name, value: caFile })) : []),
    ],
    volumeMounts: ca ? [{ name: caVolume, mountPath: caFolder, readOnly: true }] : [],
  }
}

/** Returns the volumes for the mounts of `networkOfContainer`. */
export function networkVolumes({ ca }: Network): readonly Plain[] {
  if (!ca) return []
  const items = [{ key: ca.key, path: 'ca.crt' }]
  const source =
    ca.kind === 'secret' ? { secret: { secretName: ca.name, items } } : { configMap: { name: ca.name, items } }
  return [{ name: caVolume, ...source }]
}

/** Returns what a runner's Secret holds besides its credential. @param login the entries of the proxy's Secret */
export function networkEntries({ proxy }: Network, login: SecretEntries | undefined): SecretEntries {
  if (proxy?.credentialsSecret === undefined || !login) return {}
  const url = new URL(proxy.url)
  url.username = encodeURIComponent(login['username'] ?? '')
  url.password = encodeURIComponent(login['password'] ?? '')
  return { [proxyEntry]: url.href.replace(/\/$/, '') }
}

function proxyEnvironment(
  { url, credentialsSecret, noProxy }: NonNullable<Network['proxy']>,
  secretName: string,
): readonly Plain[] {
  const value =
    credentialsSecret === undefined
      ? { value: url.replace(/\/$/, '') }
      : { valueFrom: { secretKeyRef: { name: secretName, key: proxyEntry } } }
  const without = [...ownMachine, ...noProxy].join(',')
  return [
    ...proxyVariables.map((name) => ({ name, ...value })),
    ...noProxyVariables.map((name) => ({ name, value: without })),
  ]
}

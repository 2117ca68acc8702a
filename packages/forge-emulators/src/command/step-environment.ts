// The environment of the steps that run on this machine.

const passedOn = /^(PATH|LANG|LC_\w+|TZ|(https?|no|all)_proxy|SSL_CERT_(FILE|DIR)|NODE_EXTRA_CA_CERTS|GIT_SSL_CAINFO)$/i

/** Returns the environment variables that steps receive: paths, locale, proxies and certificates, but nothing that may be secret. */
export function stepEnvironment(environment: NodeJS.ProcessEnv): Record<string, string> {
  const entries = Object.entries(environment).filter(([name, value]) => passedOn.test(name) && value !== undefined)
  return Object.fromEntries(entries as [string, string][])
}

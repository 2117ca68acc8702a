// Converts the forward proxy. ARC also gives it to the runner, so the runner gets the variables.
import { type JsonObject, textAt, textsAt } from '@dayfly/kit/read-json'
import type { Context } from './context.ts'

const accepted = /^https?:\/\/[^@/]+\/?$/

/** Returns `spec.github.proxy`: the proxy for https, because Dayfly calls GitHub by https. */
export function convertProxy({ values, ledger }: Context): JsonObject | undefined {
  const side = textAt(values.root, 'proxy', 'https', 'url') ? 'https' : 'http'
  const url = textAt(values.root, 'proxy', side, 'url')
  if (url === undefined || url === '') return undefined
  if (!accepted.test(url)) {
    const why = 'Dayfly accepts http://HOST:PORT. A user name and password belong into a Secret with these two keys.'
    ledger.note(
      'decide',
      ['proxy', side, 'url'],
      `${why} Write spec.github.proxy and the variables of the runner yourself.`,
    )
    return undefined
  }
  const secret = textAt(values.root, 'proxy', side, 'credentialSecretRef')
  const noProxy = [...new Set(textsAt(values.root, 'proxy', 'noProxy'))].slice(0, 64)
  const other = textAt(values.root, 'proxy', side === 'https' ? 'http' : 'https', 'url')
  if (other !== undefined && other !== url) {
    ledger.note(
      'changed',
      ['proxy', 'http'],
      'The variable http_proxy of the runner. Dayfly itself calls GitHub through the proxy for https.',
    )
  }
  return {
    url,
    ...(secret === undefined || secret === '' ? {} : { credentials: { secret } }),
    ...(noProxy.length > 0 ? { noProxy } : {}),
  }
}

/** Returns the variables of the runner. The names of ARC's: small letters. */
export function proxyVariables({ values }: Pick<Context, 'values'>): readonly JsonObject[] {
  const variables = (['http', 'https'] as const).flatMap((side) => {
    const url = textAt(values.root, 'proxy', side, 'url')
    if (url === undefined || !accepted.test(url)) return []
    const secret = textAt(values.root, 'proxy', side, 'credentialSecretRef')
    if (secret === undefined || secret === '') return [{ name: `${side}_proxy`, value: url }]
    const user = `${side.toUpperCase()}_PROXY_USER`
    const password = `${side.toUpperCase()}_PROXY_PASSWORD`
    const [scheme = '', host = ''] = url.split('://')
    return [
      { name: user, valueFrom: { secretKeyRef: { name: secret, key: 'username' } } },
      { name: password, valueFrom: { secretKeyRef: { name: secret, key: 'password' } } },
      { name: `${side}_proxy`, value: `${scheme}://$(${user}):$(${password})@${host}` },
    ]
  })
  const noProxy = textsAt(values.root, 'proxy', 'noProxy')
  if (variables.length === 0 || noProxy.length === 0) return variables
  return [...variables, { name: 'no_proxy', value: noProxy.join(',') }]
}

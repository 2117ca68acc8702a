// Converts the forward proxy. The runner has it, too, in ARC and in Dayfly.
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
    ledger.note('decide', ['proxy', side, 'url'], `${why} Write spec.github.proxy yourself.`)
    return undefined
  }
  const secret = textAt(values.root, 'proxy', side, 'credentialSecretRef')
  const noProxy = [...new Set(textsAt(values.root, 'proxy', 'noProxy'))].slice(0, 64)
  const other = textAt(values.root, 'proxy', side === 'https' ? 'http' : 'https', 'url')
  if (other !== undefined && other !== url) {
    ledger.note(
      'changed',
      ['proxy', 'http'],
      'The variables http_proxy and HTTP_PROXY of the runner. Dayfly itself calls GitHub through the proxy for https.',
    )
  }
  return {
    url,
    ...(secret === undefined || secret === '' ? {} : { credentials: { secret } }),
    ...(noProxy.length > 0 ? { noProxy } : {}),
  }
}

/** Returns the variables for a proxy for http of its own. The runner has that of `spec.github.proxy` without a variable. */
export function proxyVariables({ values }: Pick<Context, 'values'>): readonly JsonObject[] {
  const url = textAt(values.root, 'proxy', 'http', 'url')
  const secure = textAt(values.root, 'proxy', 'https', 'url')
  if (url === undefined || !accepted.test(url) || !secure || url === secure) return []
  const secret = textAt(values.root, 'proxy', 'http', 'credentialSecretRef')
  if (secret === undefined || secret === '') return httpVariables(url)
  const [scheme = '', host = ''] = url.split('://')
  return [
    { name: 'HTTP_PROXY_USER', valueFrom: { secretKeyRef: { name: secret, key: 'username' } } },
    { name: 'HTTP_PROXY_PASSWORD', valueFrom: { secretKeyRef: { name: secret, key: 'password' } } },
    ...httpVariables(`${scheme}://$(HTTP_PROXY_USER):$(HTTP_PROXY_PASSWORD)@${host}`),
  ]
}

function httpVariables(value: string): readonly JsonObject[] {
  return [
    { name: 'http_proxy', value },
    { name: 'HTTP_PROXY', value },
  ]
}

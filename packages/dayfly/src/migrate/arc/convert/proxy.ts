// Converts the forward proxy. The runner has it, too, in ARC and in Dayfly.
import { type JsonObject, listAt, textAt } from '@dayfly/kit/read-json'
import { acceptedText, isAccepted } from './accepted.ts'
import type { Context } from './context.ts'

const entriesMax = 64

/** Returns `spec.github.proxy`: the proxy for https, because Dayfly calls GitHub by https. */
export function convertProxy(context: Context): JsonObject | undefined {
  const { values, ledger } = context
  const side = textAt(values.root, 'proxy', 'https', 'url') ? 'https' : 'http'
  const url = textAt(values.root, 'proxy', side, 'url')
  if (url === undefined || url === '') return undefined
  noteOther(context)
  if (!isAccepted('spec.github.proxy.url', url)) {
    const why = 'Dayfly accepts http://HOST:PORT. A user name and password belong into a Secret with these two keys.'
    ledger.note('decide', ['proxy', side, 'url'], `${why} Write spec.github.proxy yourself.`)
    for (const key of [side, 'noProxy'])
      ledger.note('decide', ['proxy', key], 'Without the URL, the RunnerSet does not have it. Write spec.github.proxy.')
    return undefined
  }
  const secret = acceptedText(context, ['proxy', side, 'credentialSecretRef'], {
    place: 'spec.github.proxy.credentials.secret',
    what: 'name of a Secret',
  })
  const noProxy = convertNoProxy(context)
  return {
    url,
    ...(secret === undefined ? {} : { credentials: { secret } }),
    ...(noProxy.length > 0 ? { noProxy } : {}),
  }
}

function convertNoProxy(context: Context): readonly string[] {
  const { values, ledger } = context
  const kept = new Set<string>()
  for (const index of listAt(values.root, 'proxy', 'noProxy').keys()) {
    const path = ['proxy', 'noProxy', index]
    const what = 'text of 1 to 253 characters'
    const entry = acceptedText(context, path, { place: 'spec.github.proxy.noProxy', what })
    if (entry === undefined || kept.has(entry)) continue
    if (kept.size < entriesMax) kept.add(entry)
    else {
      const sentence = `spec.github.proxy.noProxy has at most ${entriesMax} entries. Write a domain in place of several hosts.`
      ledger.note('decide', path, sentence)
    }
  }
  return [...kept]
}

function noteOther({ values, ledger }: Context): void {
  const other = otherProxy(values)
  if (other === undefined) return
  const path = ['proxy', 'http']
  if (other === 'refused') {
    ledger.note('decide', path, 'Dayfly does not accept its URL or its Secret. Write HTTP_PROXY into the template.')
  } else {
    ledger.note(
      'changed',
      path,
      'The variables http_proxy and HTTP_PROXY of the runner. Dayfly itself calls GitHub through the proxy for https.',
    )
  }
}

type OtherProxy = { readonly url: string; readonly secret: string | undefined }

/** Returns the proxy for http beside another one for https. A Secret belongs to it if it needs a password. */
function otherProxy({ root }: Context['values']): OtherProxy | 'refused' | undefined {
  const url = textAt(root, 'proxy', 'http', 'url')
  const secure = textAt(root, 'proxy', 'https', 'url')
  if (!url || !secure || url === secure) return undefined
  const secret = textAt(root, 'proxy', 'http', 'credentialSecretRef') || undefined
  const isRight =
    isAccepted('spec.github.proxy.url', url) &&
    (secret === undefined || isAccepted('spec.github.proxy.credentials.secret', secret))
  return isRight ? { url, secret } : 'refused'
}

/** Returns the variables for a proxy for http of its own. The runner has that of `spec.github.proxy` without a variable. */
export function proxyVariables({ values }: Pick<Context, 'values'>): readonly JsonObject[] {
  const other = otherProxy(values)
  if (other === undefined || other === 'refused') return []
  const { url, secret } = other
  if (secret === undefined) return httpVariables(url)
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

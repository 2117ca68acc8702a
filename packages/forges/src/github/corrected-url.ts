// Corrects the addresses that people copy in place of the one that runners register at: pages, clone addresses, and addresses of the API.

/** Returns the address that is probably meant; undefined if the text is another one. It never repeats a user name or a password. */
export function correctedUrl(text: string): string | undefined {
  const clone = /^(?:ssh:\/\/)?git@([\w.-]+)(?::|\/)(?:\d+\/)?(.+)$/.exec(text)
  if (clone) return meant('https:', clone[1] ?? '', (clone[2] ?? '').split('/'))
  if (/^[\w-]+(\.[\w-]+)+\/[^\s]*$/.test(text))
    return correctedUrl(`https://${text}`) ?? `https://${text.replace(/\/+$/, '')}`
  if (!URL.canParse(text)) return undefined
  const { protocol, host, pathname, username, password } = new URL(text)
  if (!/^https?:$/.test(protocol) || username !== '' || password !== '') return undefined
  const parts = pathname.split('/').filter((part) => part !== '')
  const better = meant(protocol, host, parts)
  return better === `${protocol}//${host}/${parts.join('/')}` ? undefined : better
}

/** The first part of a page that is no organization: GitHub reserves these names. */
const pages: ReadonlySet<string> = new Set(['orgs', 'organizations', 'users', 'repos'])
/** The part of a page after an organization, a repository or an enterprise. */
const tabs = /^(settings|actions|tree|blob|pulls?|issues|runners|people|teams|repositories|organizations)$/

function meant(protocol: string, host: string, path: readonly string[]): string {
  const own = host.replace(/^api\.(?=github\.com$|[\w-]+\.ghe\.com$)/, '')
  const api = path[0] === 'api' && path[1] === 'v3' ? path.slice(2) : path
  const parts = pages.has(api[0] ?? '') ? api.slice(1) : [...api]
  const tab = parts.findIndex((part, index) => index > 0 && tabs.test(part))
  const kept = (tab < 0 ? parts : parts.slice(0, tab)).map((part, index) =>
    index === 1 ? part.replace(/\.git$/, '') : part,
  )
  if (kept.length === 1 && kept[0]?.toLowerCase() === 'enterprises') kept.push('NAME')
  return `${protocol}//${own}/${kept.join('/')}`
}

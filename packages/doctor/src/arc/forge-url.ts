// URLs of accounts at a forge, as runner sets name them.

/** Whether two URLs name one account. GitHub ignores upper and lower case. */
export function isSameAccount(one: string, other: string): boolean {
  return normal(one) === normal(other)
}

function normal(url: string): string {
  return url
    .toLowerCase()
    .replace(/\/+$/, '')
    .replace(/^(https?:\/\/)www\./, '$1')
}

/** Returns the page that lists the runners of a GitHub account. */
export function runnersPage(url: string): string {
  if (!URL.canParse(url)) return url
  const { origin, pathname } = new URL(url)
  const [first = '', second] = pathname.split('/').filter(Boolean)
  const account = second === undefined ? `organizations/${first}` : `${first}/${second}`
  return `${origin}/${account}/settings/actions/runners`
}

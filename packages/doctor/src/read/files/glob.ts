// Translates globs: `*`, `**`, `?`, `{a,b}` and `[a-z]`.

/** Returns undefined if the text is no valid glob. */
export function globPattern(glob: string): RegExp | undefined {
  const source = glob.replace(/\*\*\/|\*\*|\*|\?|\{[^{}]*\}|\[[^[\]]*\]|[.+^$()|\\{}[\]]/g, (part) => {
    if (part === '**/') return '(?:.*/)?'
    if (part === '**') return '.*'
    if (part === '*') return '[^/]*'
    if (part === '?') return '[^/]'
    if (part.length > 1 && part.startsWith('{')) return `(?:${part.slice(1, -1).split(',').map(literal).join('|')})`
    if (part.length > 1 && part.startsWith('['))
      return `[${part.slice(1, -1).replace(/^!/, '^').replace(/\\/g, '\\\\')}]`
    return `\\${part}`
  })
  try {
    return new RegExp(`^${source}$`)
  } catch {
    return undefined
  }
}

function literal(text: string): string {
  return text.replace(/[.+^$()|\\{}[\]*?]/g, '\\$&')
}

// Finds the values that a Helm chart documents in its values.yaml, also in commented examples, and those that its templates read.

/** Returns the paths of all keys, also of those in comments of one `#`. A text for people has two, or no key. An entry of a list is `[]`. */
export function documentedValues(text: string): readonly string[] {
  const found = new Set<string>()
  let around: readonly { readonly indent: number; readonly name: string }[] = []
  for (const line of text.split('\n')) {
    const plain = /^\s*##/.test(line) ? '' : line.replace(/^(\s*)# ?/, '$1')
    const [, blank = '', dash = '', key] = /^(\s*)((?:- )*)([a-z][\w-]*):(?:\s|$)/.exec(plain) ?? []
    if (key === undefined) continue
    const indent = blank.length + dash.length
    // The keys of an entry are deeper than its dash.
    around = around.filter((outer) => (dash === '' ? outer.indent < indent : outer.indent <= blank.length))
    const parent = around.at(-1)?.name
    const entry = dash === '' ? parent : `${parent}[]`
    const name = entry === undefined ? key : `${entry}.${key}`
    if (dash !== '') around = [...around, { indent: blank.length + 1, name: entry ?? '' }]
    around = [...around, { indent, name }]
    found.add(name)
  }
  return [...found].sort()
}

/** Returns the paths after `.Values` in the texts of templates. */
export function readValues(templates: string): readonly string[] {
  const found = [...templates.matchAll(/\.Values\.([A-Za-z_]\w*(?:\.\w+)*)/g)].map(([, name = '']) => name)
  return [...new Set(found)].sort()
}

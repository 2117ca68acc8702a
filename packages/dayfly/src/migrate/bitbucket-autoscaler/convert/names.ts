// Makes names of RunnerSets from the names of groups.

const lengthMax = 63

/** Returns a name for each group, in their order. A name that is taken gets a number. */
export function namesFor(groups: readonly { readonly name: string }[]): readonly string[] {
  const taken = new Set<string>()
  return groups.map(({ name }) => {
    const plain = plainName(name)
    let unique = plain
    for (let number = 2; taken.has(unique); number += 1)
      unique = `${cut(plain, lengthMax - 1 - String(number).length)}-${number}`
    taken.add(unique)
    return unique
  })
}

/** Kubernetes allows lower-case letters, digits and dashes. */
function plainName(name: string): string {
  const letters = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[\u0300-\u036f]/g, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+/, '')
  return cut(letters, lengthMax) || 'runners'
}

function cut(name: string, length: number): string {
  return name.slice(0, length).replace(/-+$/, '')
}

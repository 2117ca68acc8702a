// Expands the generators of an Argo CD ApplicationSet as far as the input shows their values.
import { isJsonObject, listAt, textAt, valueAt } from '@dayfly/kit/read-json'
import { folderOf, nameOf, type Tree } from './tree.ts'

/** One budget for all globs and generators of an input keeps their cost bounded. Without budget, values are unknown. */
export type Search = { readonly tree: Tree; left: number }

export function startSearch(tree: Tree): Search {
  return { tree, left: 200_000 }
}

/** The values of one Application, by the names that its template uses. */
export type Values = ReadonlyMap<string, string>

/** More Applications of one set are not expanded: its template then counts with unknown values. */
const instancesMax = 500

/** Returns one entry for each Application; one without values if they are unknown. */
export function expandSet(raw: unknown, search: Search): readonly Values[] {
  const expanded = listAt(raw, 'spec', 'generators').flatMap((each) => valuesOf(each, search, 0) ?? [new Map()])
  search.left -= expanded.length
  return expanded.length === 0 || expanded.length > instancesMax || search.left <= 0 ? [new Map()] : expanded
}

/** The cheapest pattern: any other would need a search for the end of each marker. */
export const marker = /\{\{([^{}]*)\}\}/g

/** Fills the known values in. Unknown ones stay markers. */
export function fill(text: string, values: Values): string {
  return text.replace(marker, (whole, inside: string) => {
    const expression = inside.replace(/^-/, '').replace(/-$/, '').trim()
    const segment = /^index \.path\.segments (\d+)$/.exec(expression)?.[1]
    return values.get(segment === undefined ? expression.replace(/^\./, '') : `path[${segment}]`) ?? whole
  })
}

/** Returns the folders that a glob of whole path segments matches. `*` matches within one segment, `**` any number of segments. */
export function matchFolders(search: Search, glob: string): readonly string[] {
  const found = new Set<string>()
  const visit = (folder: string, steps: readonly string[]): void => {
    if (--search.left <= 0) return
    const [step, ...rest] = steps
    if (step === undefined) {
      found.add(folder)
      return
    }
    if (step === '**') visit(folder, rest)
    for (const child of search.tree.get(folder)?.folders ?? []) {
      if (step === '**') visit(child, steps)
      else if (isMatch(nameOf(child), step)) visit(child, rest)
    }
  }
  visit(
    '',
    glob.split('/').filter((step) => step !== '' && step !== '.'),
  )
  // A search that was cut has no certain result.
  return search.left <= 0 ? [] : [...found]
}

/** Compares by parts, not by a pattern: a hostile pattern could take exponential time. */
function isMatch(name: string, glob: string): boolean {
  const [first = '', ...others] = glob.split('*')
  const last = others.pop()
  if (last === undefined) return name === glob
  if (!name.startsWith(first) || !name.endsWith(last) || name.length < first.length + last.length) return false
  let at = first.length
  const end = name.length - last.length
  return others.every((part) => {
    const found = name.indexOf(part, at)
    at = found + part.length
    return found >= 0 && at <= end
  })
}

function valuesOf(generator: unknown, search: Search, depth: number): readonly Values[] | undefined {
  if (depth > 2) return undefined
  if (Array.isArray(valueAt(generator, 'list', 'elements'))) {
    return listAt(generator, 'list', 'elements').map((element) => new Map(flat(element)))
  }
  const git = valueAt(generator, 'git')
  if (isJsonObject(git)) return gitValues(git, search)
  const [one, other] = listAt(generator, 'matrix', 'generators').map((each) => valuesOf(each, search, depth + 1))
  if (one && other && one.length * other.length <= instancesMax) {
    return one.flatMap((left) => other.map((right) => new Map([...left, ...right])))
  }
  if (one ?? other) return one ?? other
  const [first] = listAt(generator, 'merge', 'generators')
  return first === undefined ? undefined : valuesOf(first, search, depth + 1)
}

function gitValues(git: unknown, search: Search): readonly Values[] | undefined {
  if (textAt(git, 'pathParamPrefix') !== undefined) return undefined
  const entries = (key: string, excluded: boolean) =>
    listAt(git, key).flatMap((each) => {
      const glob = (valueAt(each, 'exclude') === true) === excluded ? textAt(each, 'path') : undefined
      return glob === undefined ? [] : [glob]
    })
  const matches = (excluded: boolean) => [
    ...entries('directories', excluded).flatMap((glob) => matchFolders(search, glob)),
    // The values inside these files are not read: only their folder counts.
    ...entries('files', excluded).flatMap((glob) => matchFolders(search, folderOf(glob))),
  ]
  const left = new Set(matches(true))
  return [...new Set(matches(false))].filter((path) => !left.has(path)).map(pathValues)
}

function pathValues(path: string): Values {
  const segments = path.split('/').map((step, index) => [`path[${index}]`, step] as const)
  return new Map([['path', path], ['path.path', path], ['path.basename', nameOf(path)], ...segments])
}

/** Returns texts by their dotted names. */
function flat(element: unknown, prefix = ''): readonly (readonly [string, string])[] {
  if (!isJsonObject(element) || prefix.length > 200) return []
  return Object.entries(element).flatMap(([key, value]) =>
    typeof value === 'string' ? [[prefix + key, value] as const] : flat(value, `${prefix}${key}.`),
  )
}

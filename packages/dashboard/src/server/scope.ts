// The scope of one viewer: everything, or the sets of some namespaces.

export type Scope = {
  /** Viewers with the same text see the same. */
  readonly key: string
  /** @param id begins with `namespace/` */
  sees(id: string): boolean
}

export const everything: Scope = { key: '*', sees: () => true }

export function ofNamespaces(namespaces: readonly string[]): Scope {
  const allowed = new Set(namespaces)
  return { key: [...allowed].sort().join(','), sees: (id) => allowed.has(id.slice(0, id.indexOf('/'))) }
}

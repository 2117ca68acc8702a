// Orders the kinds for discovery and OpenAPI: by group, then by version, the preferred one first.
import type { Kind, Kinds } from '../api/kind.ts'

export type GroupVersion = {
  readonly version: string
  /** Ordered by plural. */
  readonly kinds: readonly Kind[]
}

export type Group = {
  /** The name; empty for the core group. */
  readonly name: string
  /** The preferred version first. */
  readonly versions: readonly GroupVersion[]
}

/** Returns the groups: the core group first, the others by name. */
export function groupsOf(kinds: Kinds): readonly Group[] {
  const versions = new Map<string, Map<string, Kind[]>>()
  for (const kind of [...kinds.all()].sort((one, other) => (one.plural < other.plural ? -1 : 1))) {
    const group = versions.get(kind.group) ?? new Map<string, Kind[]>()
    versions.set(kind.group, group)
    for (const { name, served } of kind.versions) {
      if (served) group.set(name, [...(group.get(name) ?? []), kind])
    }
  }
  return [...versions]
    .filter(([, group]) => group.size > 0)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, group]) => ({
      name,
      versions: [...group]
        .sort(([one], [other]) => compareVersions(one, other))
        .map(([version, members]) => ({ version, kinds: members })),
    }))
}

/** Returns the root path of a group and version: `api/v1`, `apis/coordination.k8s.io/v1`. */
export function rootOf(group: string, version: string): string {
  return group === '' ? `api/${version}` : `apis/${group}/${version}`
}

export const subresourceVerbs = {
  status: ['get', 'patch', 'update'],
  log: ['get'],
  exec: ['create', 'get'],
  binding: ['create'],
  eviction: ['create'],
  finalize: ['update'],
  token: ['create'],
  scale: ['get', 'patch', 'update'],
} as const

/**
 * Compares versions: v2 before v1, v1 before v1beta2, v1beta2 before v1alpha1, all others last
 * (CompareKubeAwareVersionStrings).
 * Source:
 * https://github.com/kubernetes/kubernetes/blob/release-1.36/staging/src/k8s.io/apimachinery/pkg/version/helpers.go
 */
export function compareVersions(one: string, other: string): number {
  const left = rank(one)
  const right = rank(other)
  for (let index = 0; index < 3; index++) {
    const difference = (right[index] ?? 0) - (left[index] ?? 0)
    if (difference !== 0) return difference
  }
  return one < other ? -1 : 1
}

function rank(version: string): readonly number[] {
  const match = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version)
  if (!match) return [0, 0, 0]
  const stability = match[2] === undefined ? 3 : match[2] === 'beta' ? 2 : 1
  return [stability, Number(match[1]), Number(match[3] ?? 0)]
}

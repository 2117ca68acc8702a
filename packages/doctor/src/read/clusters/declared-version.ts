// The Kubernetes versions that the operator declares for the clusters of a file.
import { oldestMinor, supportedMinors, type VersionFact } from '../../version-fact.ts'
import type { DeclaredCluster } from './declared-cluster.ts'

/**
 * Returns the versions of all clusters that the file goes to. Undefined if one of them has no declared version: the file may then run
 * on any version.
 */
export function declaredVersion(
  names: ReadonlySet<string> | undefined,
  declared: readonly DeclaredCluster[],
): VersionFact | undefined {
  if (!names || declared.length === 0) return undefined
  const minors = [...names].map((name) => minorOf(declared.find((cluster) => cluster.name === name)?.kubernetesVersion))
  if (!minors.every((minor) => minor !== undefined)) return undefined
  const from = `declared for ${names.size === 1 ? 'the cluster' : 'the clusters'} ${[...names].sort().join(', ')}`
  return { minors: [...new Set(minors)].sort((a, b) => a - b), declared: true, from }
}

/** Undefined: no version, or none that the rules know. */
function minorOf(text: string | undefined): number | undefined {
  const minor = Number(/^v?1\.(\d{1,3})(?:[.+-].*)?$/.exec(text ?? '')?.[1])
  return minor >= oldestMinor && minor <= (supportedMinors.at(-1) ?? 0) ? minor : undefined
}

// The effect of restartPolicy on an init container, by minor version of the API server (KEP-753, KEP-5307; docs/reference/kubernetes.md#s1-2).
import type { Minor, VersionFact } from '../facts.ts'

type InitPolicyOutcome =
  /** The field is dropped silently, so it becomes a plain init container. */
  | 'dropped'
  | 'refused'
  | 'sidecar'
  /** An ordinary init container with that retry policy. */
  | 'retried'

/** The first minor version that runs native sidecars without an alpha feature gate. */
export const firstSidecarMinor: Minor = 29

export function initPolicyOutcome(minor: Minor, value: string): InitPolicyOutcome {
  if (minor < firstSidecarMinor) return 'dropped'
  if (value === 'Always') return 'sidecar'
  if (value !== 'OnFailure' && value !== 'Never') return minor === 34 ? 'dropped' : 'refused'
  if (minor < 34) return 'refused'
  return minor === 34 ? 'dropped' : 'retried'
}

/** Whether every considered version supports native sidecars, so that a fix may use them. */
export function surelyHasSidecars({ minors }: VersionFact): boolean {
  return minors.length > 0 && minors.every((minor) => minor >= firstSidecarMinor)
}

/** Whether a version without native sidecars is declared, or no other is possible. */
export function lacksSidecars({ minors, declared }: VersionFact): boolean {
  const old = minors.filter((minor) => minor < firstSidecarMinor).length
  return old > 0 && (declared || old === minors.length)
}

// The Pod Security Standards, in the order and the words of the API server.
// https://kubernetes.io/docs/concepts/security/pod-security-standards/
import type { JsonObject } from '@dayfly/kit/read-json'
import { baseline } from './baseline.ts'
import type { Violation } from './check.ts'
import { restricted } from './restricted.ts'

export type Level = 'baseline' | 'restricted'

export function violationsOf(level: Level, spec: JsonObject): readonly Violation[] {
  const checks = level === 'baseline' ? baseline : [...baseline.filter(({ isReplaced }) => !isReplaced), ...restricted]
  return checks.flatMap(({ find }) => find(spec) ?? [])
}

// Which rules hold for which kind.
import type { Kind } from '../kinds.ts'
import { namespaceRules } from './namespace.ts'
import { podRules } from './pod.ts'
import type { Rules } from './rules.ts'

const rulebook: ReadonlyMap<string, Rules> = new Map([
  ['namespaces', namespaceRules],
  ['pods', podRules],
])

const plain: Rules = {}

export function rulesOf(kind: Kind): Rules {
  return rulebook.get(kind.resource) ?? plain
}

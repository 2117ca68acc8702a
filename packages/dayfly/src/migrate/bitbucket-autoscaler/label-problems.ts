// Checks the labels of a rendered Secret or Job as the official tool does (docs/reference/bitbucket.md#s4-4).
import type { Problem } from './problem.ts'
import { below, isMapping, type Mapping, type Value } from './yaml/value.ts'

const required = ['account_uuid', 'runner_uuid', 'runner_namespace']
const name = /^[A-Za-z0-9](?:[-\w.]{0,61}[A-Za-z0-9])?$/
const prefix = /^[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?$/

/** @param at the way from the item to its labels */
export function labelProblems(item: Mapping, path: string, at: readonly string[]): readonly Problem[] {
  let labels: Value | undefined = item
  let labelsPath = path
  for (const key of at) {
    labels = isMapping(labels) ? labels.get(key) : undefined
    labelsPath = below(labelsPath, key)
  }
  if (!isMapping(labels)) return [{ path: labelsPath, sentence: `The labels are missing. Add ${required.join(', ')}.` }]
  const given = labels
  const missing = required
    .filter((key) => !given.has(key))
    .map((key) => ({ path: below(labelsPath, key), sentence: 'The label is missing. Add it.' }))
  return [...missing, ...[...given].flatMap(([key, value]) => labelProblem(key, value, below(labelsPath, key)))]
}

function labelProblem(key: string, value: Value, path: string): readonly Problem[] {
  if (!isKey(key)) return [{ path, sentence: `Kubernetes allows no label with this key. Change it.` }]
  if (typeof value !== 'string') return [{ path, sentence: 'The value is not a text. Put it in quotes.' }]
  if (value === '' || name.test(value)) return []
  return [
    { path, sentence: `Kubernetes allows no label with the value ${JSON.stringify(value.slice(0, 80))}. Change it.` },
  ]
}

function isKey(key: string): boolean {
  const parts = key.split('/')
  const last = parts.pop() ?? ''
  return name.test(last) && parts.length <= 1 && parts.every((part) => prefix.test(part))
}

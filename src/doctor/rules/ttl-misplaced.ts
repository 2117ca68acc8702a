// ttlSecondsAfterFinished where nobody reads it.
import type { ObjectFact } from '../facts.ts'
import { fieldsAt, listAt, valueAt } from '../fields.ts'
import type { Fix, Hit, Path } from '../finding.ts'
import { asRecord, type Raw } from '../raw.ts'
import type { Rule } from '../rule.ts'

export const rule: Rule = {
  slug: 'ttl-misplaced',
  code: 'JOB203',
  title: 'ttlSecondsAfterFinished stands where nothing reads it',
  severity: 'error',
  confidence: 'high',
  modes: ['static'],
  fix: 'unsafe',
  check: (facts) => ({ hits: facts.objects.flatMap(check) }),
}

const field = 'ttlSecondsAfterFinished'

/** Where each kind's Job has it; the kinds without one never do. */
const rightPlaces: Readonly<Record<string, Path | undefined>> = {
  Job: ['spec'],
  CronJob: ['spec', 'jobTemplate', 'spec'],
  Pod: undefined,
  Deployment: undefined,
  StatefulSet: undefined,
  DaemonSet: undefined,
  ReplicaSet: undefined,
}

/** Below these stand the fields of a Job, a CronJob and their pod. */
const holders = ['metadata', 'spec', 'template', 'jobTemplate'] as const

function check(fact: ObjectFact): readonly Hit[] {
  const { apiVersion, kind } = fact.object
  if (!(kind in rightPlaces) || !/^(v1|batch\/|apps\/)/.test(apiVersion)) return []
  const right = rightPlaces[kind]
  return parentsOf(fact.raw, [])
    .filter((parent) => parent.join() !== right?.join())
    .map((parent) => ({
      object: fact.object,
      document: fact.document,
      path: [...parent, field],
      message: right
        ? `${field} is read only in ${right.join('.')}: here the API server drops it, and the Job is never cleaned up.`
        : `A ${kind} has no ${field}: only Jobs are cleaned up by it.`,
      ...(right ? { fix: moveTo(right, parent, fact) } : {}),
    }))
}

/** The paths of the mappings that hold the field. */
function parentsOf(fields: Raw, path: Path): Path[] {
  const found: Path[] = fields[field] === undefined ? [] : [path]
  for (const holder of holders) {
    const below = asRecord(fields[holder])
    if (below) found.push(...parentsOf(below, [...path, holder]))
  }
  for (const list of ['initContainers', 'containers']) {
    for (const [index, container] of listAt(fields, list).entries()) {
      if (valueAt(container, field) !== undefined) found.push([...path, list, index])
    }
  }
  return found
}

function moveTo(right: Path, wrong: Path, fact: ObjectFact): Fix {
  const to: Path = [...right, field]
  const from: Path = [...wrong, field]
  const there = valueAt(fact.raw, ...to) !== undefined || fieldsAt(fact.raw, ...right) === undefined
  return {
    safety: 'unsafe',
    title: there ? `Remove ${field} here` : `Move ${field} to ${right.join('.')}`,
    edits: [there ? { do: 'remove', path: from } : { do: 'carry', from, to }],
  }
}

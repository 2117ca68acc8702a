// ttlSecondsAfterFinished where nobody reads it.

import type { Path } from '../../lib/read-json.ts'
import { fieldsAt, valueAt } from '../../lib/read-json.ts'
import type { ObjectFact } from '../facts.ts'
import type { Fix, Hit } from '../finding.ts'
import { ttlField, ttlHolders } from '../pods/ttl-holders.ts'
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

function check(fact: ObjectFact): readonly Hit[] {
  const { apiVersion, kind } = fact.object
  if (!(kind in rightPlaces) || !/^(v1|batch\/|apps\/)/.test(apiVersion)) return []
  const right = rightPlaces[kind]
  return ttlHolders(fact.raw)
    .filter((parent) => parent.join() !== right?.join())
    .map((parent) => ({
      object: fact.object,
      document: fact.document,
      path: [...parent, ttlField],
      message: right
        ? `${ttlField} is read only in ${right.join('.')}: here the API server drops it, and the Job is never cleaned up.`
        : `A ${kind} has no ${ttlField}: only Jobs are cleaned up by it.`,
      fix: right ? moveTo(right, parent, fact) : removal([...parent, ttlField]),
    }))
}

function moveTo(right: Path, wrong: Path, fact: ObjectFact): Fix {
  const from: Path = [...wrong, ttlField]
  const there = valueAt(fact.raw, ...right, ttlField) !== undefined || fieldsAt(fact.raw, ...right) === undefined
  if (there) return removal(from)
  return {
    safety: 'unsafe',
    title: `Move ${ttlField} to ${right.join('.')}`,
    edits: [{ do: 'carry', from, to: right }],
  }
}

function removal(path: Path): Fix {
  return { safety: 'unsafe', title: `Remove ${ttlField} here`, edits: [{ do: 'remove', path }] }
}

// Finds ttlSecondsAfterFinished in places where nothing reads it.
import type { Path } from '@dayfly/kit/read-json'
import { fieldsAt, valueAt } from '@dayfly/kit/read-json'
import type { ObjectFact } from '../facts.ts'
import type { Fix, Hit } from '../finding.ts'
import { ttlField, ttlHolders } from '../pods/ttl-holders.ts'
import type { Rule } from '../rule.ts'

export const rule: Rule = {
  slug: 'ttl-misplaced',
  code: 'JOB203',
  title: 'ttlSecondsAfterFinished is in a place where nothing reads it',
  severity: 'error',
  confidence: 'high',
  modes: ['static'],
  fix: 'unsafe',
  check: (facts) => ({ hits: facts.objects.flatMap(check) }),
}

/** The path at which the Job of each kind has the field; undefined for kinds without a Job. */
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
        ? `Kubernetes reads ${ttlField} only in ${right.join('.')}. The API server drops it here, and the Job is never cleaned up. Move it.`
        : `A ${kind} has no ${ttlField}: the field works only for Jobs. Remove it.`,
      fix: right ? moveTo(right, parent, fact) : removal([...parent, ttlField]),
    }))
}

function moveTo(right: Path, wrong: Path, fact: ObjectFact): Fix {
  const from: Path = [...wrong, ttlField]
  const cannotMove = valueAt(fact.raw, ...right, ttlField) !== undefined || fieldsAt(fact.raw, ...right) === undefined
  if (cannotMove) return removal(from)
  return {
    safety: 'unsafe',
    title: `Move ${ttlField} to ${right.join('.')}`,
    edits: [{ do: 'carry', from, to: right }],
  }
}

function removal(path: Path): Fix {
  return { safety: 'unsafe', title: `Remove ${ttlField} here`, edits: [{ do: 'remove', path }] }
}

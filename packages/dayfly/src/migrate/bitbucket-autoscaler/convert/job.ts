// Converts the rendered List: its Secret and its Job. Dayfly creates the pod itself, so the fields of the Job have no place.
import type { JobTemplate } from '../job-template.ts'
import { below, isMapping, type Mapping, type Value } from '../yaml/value.ts'
import type { DefaultPod } from './default-pod.ts'
import type { Ledger, Verdict } from './ledger.ts'
import { type ConvertedPod, convertPod } from './pod.ts'

export type ConvertedJob = { readonly pod: ConvertedPod; readonly lifeMax: string | undefined }

const reasons: Readonly<Record<string, readonly [Verdict, string]>> = {
  backoffLimit: ['dropped', 'Dayfly starts a new runner instead of the same one again.'],
  backoffLimitPerIndex: ['dropped', 'Dayfly starts a new runner instead of the same one again.'],
  podFailurePolicy: ['dropped', 'Dayfly starts a new runner instead of the same one again.'],
  completions: ['dropped', 'A runner is one pod.'],
  completionMode: ['dropped', 'A runner is one pod.'],
  parallelism: ['dropped', 'A runner is one pod.'],
  ttlSecondsAfterFinished: [
    'changed',
    'Dayfly removes the pod of a finished runner at once, and of a failed one after 10 minutes. Set keepFinished or keepFailed for longer.',
  ],
}

export function convertJob(template: JobTemplate, ledger: Ledger, defaults: DefaultPod): ConvertedJob {
  const { list, secret, job } = template
  const spec = job.value.get('spec')
  const specPath = below(job.path, 'spec')
  const pod = isMapping(spec) ? spec.get('template') : undefined
  const converted = convertPod(isMapping(pod) ? pod : new Map(), below(specPath, 'template'), {
    template,
    ledger,
    defaults,
  })
  const lifeMax = isMapping(spec) ? noteJob(spec, specPath, ledger) : undefined
  ledger.note('dropped', job.path, job.value, 'Dayfly creates pods and no Jobs.')
  ledger.note('dropped', secret.path, secret.value, 'Dayfly creates the Secret of each runner, and its pod owns it.')
  noteList(list, ledger)
  return { pod: converted, lifeMax }
}

function noteJob(spec: Mapping, path: string, ledger: Ledger): string | undefined {
  let lifeMax: string | undefined
  for (const [key, value] of spec) {
    const at = below(path, key)
    const [is, sentence] = reasons[key] ?? (['dropped', 'Dayfly creates pods and no Jobs.'] as const)
    const duration = key === 'activeDeadlineSeconds' ? durationOf(value) : undefined
    if (duration === undefined) {
      if (key !== 'template') ledger.note(is, at, value, sentence)
      continue
    }
    lifeMax = duration
    ledger.note('kept', at, value, `spec.lifeMax: ${duration}. Both end a runner even if it is busy`)
  }
  return lifeMax
}

/** A part of a duration has at most five digits. */
function durationOf(value: Value): string | undefined {
  if (typeof value !== 'bigint' || value <= 0n || value > 359_996_400n) return undefined
  const seconds = Number(value)
  if (seconds < 100_000) return `${seconds}s`
  const rest = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60), seconds % 60]
  return ['h', 'm', 's'].map((unit, index) => (rest[index] ? `${rest[index]}${unit}` : '')).join('')
}

/** The rest of the List, with items that the official tool ignores. */
function noteList(list: Mapping, ledger: Ledger): void {
  for (const [key, value] of list) {
    if (key !== 'items')
      ledger.note('dropped', below('', key), value, 'It is the frame of the List, which the RunnerSet replaces.')
  }
  const items = list.get('items')
  if (!Array.isArray(items)) return
  for (const [index, item] of items.entries() as IterableIterator<[number, Value]>) {
    ledger.note(
      'dropped',
      below('items', index),
      item,
      'The official tool creates one Secret and one Job, and it ignores this item.',
    )
  }
}

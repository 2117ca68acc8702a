// The usage of a set's jobs, in the text and the JSON of `dayfly explain`.
import { wrap } from '@dayfly/command-line/table'
import { counted } from '@dayfly/kit/age-text'
import type { SetView } from '../operate/set-view.ts'
import { type ResourceUsage, type UsageView, usageOf } from '../operate/usage.ts'
import { readDigest } from '../usage/digest.ts'

export function usageLines(view: SetView, width: number): readonly string[] {
  const usage = usageIn(view)
  if (!usage) return []
  const { cpu, memory, timeSentence, note } = usage
  return [
    '',
    `Usage of the last ${counted(usage.jobs, 'job')}:`,
    ...wrap(cpu.sentences.join(' '), '  CPU: ', width),
    ...wrap(memory.sentences.join(' '), '  Memory: ', width),
    ...wrap(timeSentence, '  Time: ', width),
    ...(note === undefined ? [] : wrap(note, '  ', width)),
  ]
}

/** Amounts are in cores and bytes. Null: not known. */
export function usageJson(view: SetView): object | null {
  const usage = usageIn(view)
  if (!usage) return null
  const { jobs, cpu, memory, time, timeSentence, note } = usage
  return {
    jobs,
    cpu: resourceJson(cpu),
    memory: resourceJson(memory),
    time: { halfSeconds: time?.half ?? null, mostSeconds: time?.most ?? null, sentences: [timeSentence] },
    note: note ?? null,
  }
}

function usageIn({ set, usage }: SetView): UsageView | undefined {
  return set && usageOf(set, readDigest(usage))
}

function resourceJson({ jobs, atMost, request, limit, suggested, sentences }: ResourceUsage): object {
  return {
    jobs,
    atMost: atMost ?? null,
    request: request ?? null,
    limit: limit ?? null,
    suggested: suggested ?? null,
    sentences,
  }
}

// Reads a life from a file. A file may be from another version or damaged, so no value of another type reaches the page.
import type { JobShown, Life, LifeSteps, Requests, Words } from '../model/life.ts'
import { type EarlierJob, type Followed, lifePhases, problemKinds } from './followed.ts'
import { bounded } from './job-shown.ts'
import { noSteps, type StepName } from './steps.ts'

type Fields = Readonly<Record<string, unknown>>

/** Returns undefined if the value is no life. */
export function readFollowed(value: unknown): Followed | undefined {
  const fields = fieldsOf(value)
  const life = readLife(fields?.['life'])
  const foundAt = numberIn(fields, 'foundAt')
  if (!fields || !life || foundAt === null) return undefined
  return {
    life,
    foundAt,
    reached: lifePhases.find((phase) => phase === fields['reached']) ?? life.phase,
    isBegun: fields['isBegun'] === true,
    hasPod: fields['hasPod'] === true,
    lostAt: numberIn(fields, 'lostAt'),
    problemIs: problemKinds.find((kind) => kind === fields['problemIs']) ?? null,
    earlierJobs: arrayOf(fields['earlierJobs']).flatMap((one) => readEarlier(one) ?? []),
    priceLabel: textIn(fields, 'priceLabel'),
    countedFrom: numberIn(fields, 'countedFrom'),
  }
}

function readLife(value: unknown): Life | undefined {
  const fields = fieldsOf(value)
  const [id, set, runner] = [textIn(fields, 'id'), textIn(fields, 'set'), textIn(fields, 'runner')]
  const phase = lifePhases.find((one) => one === fields?.['phase'])
  if (!fields || !id || !set || !runner || !phase) return undefined
  return {
    id,
    set,
    runner,
    phase,
    steps: readSteps(fieldsOf(fields['steps'])),
    job: readJob(fields['job']),
    result: textIn(fields, 'result'),
    node: textIn(fields, 'node'),
    exitCode: numberIn(fields, 'exitCode'),
    problem: readWords(fields['problem']),
    requests: readRequests(fields['requests']),
  }
}

function readSteps(fields: Fields | undefined): LifeSteps {
  const names = Object.keys(noSteps) as StepName[]
  return { ...noSteps, ...Object.fromEntries(names.map((name) => [name, numberIn(fields, name)])) }
}

function readJob(value: unknown): JobShown | null {
  const fields = fieldsOf(value)
  const id = textIn(fields, 'id')
  if (id === null) return null
  return {
    id,
    name: textIn(fields, 'name') ?? '',
    repository: textIn(fields, 'repository') ?? '',
    workflow: textIn(fields, 'workflow'),
    ref: textIn(fields, 'ref'),
    run: textIn(fields, 'run'),
    url: textIn(fields, 'url', 2_000),
  }
}

function readEarlier(value: unknown): EarlierJob | undefined {
  const fields = fieldsOf(value)
  const [job, from, to] = [readJob(fields?.['job']), numberIn(fields, 'from'), numberIn(fields, 'to')]
  return job && from !== null && to !== null ? { job, from, to } : undefined
}

export function readWords(value: unknown): Words | null {
  const fields = fieldsOf(value)
  const reason = textIn(fields, 'reason')
  if (reason === null) return null
  const text = (name: string) => textIn(fields, name, 2_000) ?? ''
  return { reason, sentence: text('sentence'), detail: text('detail'), next: text('next') }
}

function readRequests(value: unknown): Requests | null {
  const fields = fieldsOf(value)
  const [cpu, memoryGib] = [numberIn(fields, 'cpu'), numberIn(fields, 'memoryGib')]
  return cpu === null || memoryGib === null ? null : { cpu, memoryGib }
}

export function fieldsOf(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined
}

export function arrayOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

export function numberIn(fields: Fields | undefined, name: string): number | null {
  const value = fields?.[name]
  return typeof value === 'number' && Number.isFinite(value) ? value : null
}

/** Names of Kubernetes have up to 253 characters, and an id has two of them. */
export function textIn(fields: Fields | undefined, name: string, most = 520): string | null {
  const value = fields?.[name]
  return typeof value === 'string' ? bounded(value, most) : null
}

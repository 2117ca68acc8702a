// Understands the text that a person typed or pasted to find a job.
import type { JobShown, Life } from '../model/life.ts'
import { bounded } from './job-shown.ts'

export type Query = {
  /** The text, cut and without control characters. */
  readonly text: string
  /** The ways to read it, the most certain one first. The first one that finds a job is right. */
  readonly readings: readonly Reading[]
  /** Why the text alone may find nothing; null if it is complete. */
  readonly limit: string | null
}

export type Reading = {
  /** The rest of the sentence "It was read as …". */
  readonly as: string
  readonly matches: (job: JobShown, life: Life | null) => boolean
}

const textMax = 500
const runAddress =
  /^https?:\/\/[^/\s]+\/(?:[^/\s]+\/){0,4}?([^/\s]+\/[^/\s]+)\/actions\/runs\/(\d+)(?:\/attempts\/\d+)?(?:\/jobs?\/(\d+))?(?:[/?#]|$)/i
const pipelineAddress =
  /^https?:\/\/[^/\s]+\/([^/\s]+\/[^/\s]+)\/(?:addon\/)?pipelines\/(?:home)?#?!?\/?results\/(\d+)(?:\/steps\/([^/?#\s]+))?/i
const repositoryAddress = /^https?:\/\/[^/\s]+\/([^/\s?#]+\/[^/\s?#]+)/i
const ownAddress = /#\/job\/[^/\s]+\/([^/?#\s]+)$/

export function readQuery(query: string): Query {
  const text = bounded(query.slice(0, textMax * 2).trim(), textMax).trim()
  return { text, ...(addressOf(text) ?? { readings: textReadings(text), limit: null }) }
}

function addressOf(text: string): Omit<Query, 'text'> | undefined {
  const own = ownAddress.exec(text)?.[1]
  if (own !== undefined) return { readings: [idReading(decoded(own))], limit: null }
  const [, repository, run, job] = runAddress.exec(text) ?? []
  if (repository !== undefined && run !== undefined) return { readings: runReadings(repository, run, job), limit: null }
  const [, place, pipeline, step] = pipelineAddress.exec(text) ?? []
  if (place !== undefined && pipeline !== undefined) return pipelineQuery(place, pipeline, step)
  const name = repositoryAddress.exec(text)?.[1]
  return name === undefined ? undefined : { readings: [repositoryReading(name)], limit: null }
}

/** At GitHub, the number of a job in an address is not the id that runners get: then the jobs of the run are the answer. */
function runReadings(repository: string, run: string, job: string | undefined): readonly Reading[] {
  const ofRun: Reading = {
    as: `the run ${run} of ${repository}${job === undefined ? '' : ', because the forge does not say which of its jobs has the number in the address'}`,
    matches: (one) => one.run === run && (one.repository === '' || isSame(one.repository, repository)),
  }
  return job === undefined ? [ofRun] : [idReading(job), ofRun]
}

function pipelineQuery(repository: string, pipeline: string, step: string | undefined): Omit<Query, 'text'> {
  const id = step === undefined ? undefined : decoded(step).replace(/^\{|\}$/g, '')
  const readings = id === undefined ? [] : [{ ...idReading(id), matches: (job: JobShown) => bare(job.id) === bare(id) }]
  const limit = `Bitbucket reports the step that a runner has, and not its pipeline, so the number ${pipeline} of ${repository} is not known here. Open the step at Bitbucket, and paste the address of the step.`
  return { readings, limit }
}

function textReadings(text: string): readonly Reading[] {
  if (text === '') return []
  const lower = text.toLowerCase()
  return [
    idReading(text),
    { as: `the run ${text}`, matches: ({ run }) => run === text },
    { as: `the runner ${text}`, matches: (_job, life) => life !== null && (life.runner === text || life.id === text) },
    { as: `the name of a job, "${text}"`, matches: ({ name }) => name === text },
    repositoryReading(text),
    { as: `the branch or tag ${text}`, matches: ({ ref }) => ref === text },
    { as: `the workflow ${text}`, matches: ({ workflow }) => workflow === text },
    { as: `a part of the name of a job, "${text}"`, matches: ({ name }) => name.toLowerCase().includes(lower) },
  ]
}

function idReading(id: string): Reading {
  return { as: `the job with the id ${id}`, matches: (job) => job.id === id }
}

function repositoryReading(name: string): Reading {
  const own = name.replace(/\.git$/, '')
  return { as: `the repository ${own}`, matches: ({ repository }) => repository !== '' && isSame(repository, own) }
}

/** Forges ignore the case of owners and repositories. */
function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase()
}

function bare(id: string): string {
  return id.replace(/^\{|\}$/g, '').toLowerCase()
}

/** An address that was cut may end within an escape. */
function decoded(text: string): string {
  try {
    return bounded(decodeURIComponent(text))
  } catch {
    return text
  }
}

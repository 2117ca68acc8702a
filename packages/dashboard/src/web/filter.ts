// Chooses the lives that a filter shows, and their order.
import type { Instant } from '@dayfly/kit/clock'
import type { Life } from '../model/life.ts'
import type { Filter } from './route.ts'

/** Returns the matching lives, the newest first. */
export function chosenLives(lives: Iterable<Life>, filter: Filter): readonly Life[] {
  const words = filter.text.toLowerCase().split(/\s+/).filter(Boolean)
  const chosen: Life[] = []
  for (const life of lives) if (isChosen(life, filter, words)) chosen.push(life)
  return chosen.sort((a, b) => startOf(b) - startOf(a) || (a.id < b.id ? -1 : 1))
}

/** Returns the first known moment of a life. A runner can be older than the job that it gets. */
export function startOf({ steps }: Life): Instant {
  const first = steps.registered ?? steps.created ?? steps.started ?? steps.online ?? steps.jobStarted
  if (first === null) return steps.queued ?? 0
  return steps.queued === null ? first : Math.min(first, steps.queued)
}

/** The zoom chooses no runner. */
export function isFiltered({ set, phase, repository, text }: Filter): boolean {
  return set + phase + repository + text !== ''
}

/** Returns the repositories of the lives in alphabetical order. */
export function repositoriesOf(lives: Iterable<Life>): readonly string[] {
  const names = new Set<string>()
  for (const { job } of lives) if (job && job.repository !== '') names.add(job.repository)
  return [...names].sort()
}

function isChosen(life: Life, filter: Filter, words: readonly string[]): boolean {
  if (filter.set !== '' && life.set !== filter.set) return false
  if (filter.phase !== '' && life.phase !== filter.phase) return false
  if (filter.repository !== '' && life.job?.repository !== filter.repository) return false
  if (words.length === 0) return true
  const { job, problem } = life
  const parts = [life.id, life.set, job?.name, job?.repository, job?.ref, job?.workflow, life.node, problem?.reason]
  const text = parts.join(' ').toLowerCase()
  return words.every((word) => text.includes(word))
}

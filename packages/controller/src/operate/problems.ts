// The problems of a set now, each with its reason, its sentence and the next step.
import { camelCase } from '@dayfly/runner-set/core/report'
import { type Failure, type FailureReason, failureInfo } from '@dayfly/runner-set/model/failure'
import { failures } from '@dayfly/runner-set/model/failure-table'
import type { Work } from './leader.ts'
import { type ConditionView, conditionOf, type SetView } from './set-view.ts'

export type Problem = {
  /** A reason of the closed list, or another word of the controller in kebab-case. */
  readonly reason: string
  readonly sentence: string
  /** The observation; empty if the sentence says everything. */
  readonly detail: string
  readonly next: string
}

const nextOfSpec = 'Correct the set. Dayfly reads it again as soon as it changes.'

/** Returns the problems, those that stop the whole set first. */
export function problemsOf(view: SetView, work: Work): readonly Problem[] {
  const problems: Problem[] = []
  if (work.is === 'no-leader' || work.is === 'unseen' || work.is === 'behind') {
    problems.push({ reason: work.is, sentence: work.sentence, detail: '', next: work.next })
  }
  if (view.problems.length > 0) {
    const detail = view.problems.join('; ')
    problems.push({ reason: 'spec-invalid', sentence: 'The set is not valid.', detail, next: nextOfSpec })
  }
  const conditions = ['TemplateAccepted', 'ForgeConnected', 'Ready', 'Degraded']
  for (const type of conditions) {
    const condition = conditionOf(view, type)
    if (!condition || isGood(condition)) continue
    const problem = problemOf(condition, view)
    if (!problems.some(({ reason }) => reason === problem.reason)) problems.push(problem)
  }
  return problems
}

/** Returns the failure that a condition shows; undefined for a good one, and for a word that is not of the closed list. */
export function failureOfCondition(condition: ConditionView | undefined): Failure | undefined {
  const reason = condition && !isGood(condition) ? reasonOfWord(condition.reason) : undefined
  if (!condition || !reason) return undefined
  const { sentence, next } = failureInfo(reason)
  return { reason, message: condition.message.replace(sentence, '').replace(` — ${next}`, '').trim() }
}

/** The set is paused, which is the wish of its owner. */
const pausedWord = 'Paused'

function isGood({ type, status, reason }: ConditionView): boolean {
  if (reason === pausedWord) return true
  return status === (type === 'Degraded' ? 'False' : 'True')
}

/** The condition's message is `sentence detail — next`, where sentence and next are of the closed list. */
function problemOf({ reason, message }: ConditionView, view: SetView): Problem {
  const known = reasonOfWord(reason)
  if (!known) {
    const detail = message.length > 0 ? '' : `reason ${reason}`
    const [sentence = '', next] = split(message)
    return {
      reason: kebabCase(reason),
      sentence,
      detail,
      next: next ?? `dayfly explain ${view.name} -n ${view.namespace}`,
    }
  }
  const { sentence, next } = failureInfo(known)
  const end = message.indexOf(` — ${next}`)
  const whole = message.startsWith(sentence) && end >= 0
  const rest = whole ? message.slice(end + next.length + 3).trim() : ''
  const detail = whole ? message.slice(sentence.length, end).trim() : message
  return { reason: known, sentence, detail: rest === '' ? detail : `${detail} Also: ${rest}`, next }
}

function split(message: string): readonly [string, string?] {
  const at = message.lastIndexOf(' — ')
  return at < 0 ? [message] : [message.slice(0, at), message.slice(at + 3)]
}

/** Returns the reason if it is of the closed list. */
export function knownReason(text: string | undefined): FailureReason | undefined {
  return text !== undefined && Object.hasOwn(failures, text) ? (text as FailureReason) : undefined
}

/** `ImageMissing` is `image-missing` of the closed list. */
function reasonOfWord(word: string): FailureReason | undefined {
  return (Object.keys(failures) as FailureReason[]).find((reason) => camelCase(reason) === word)
}

function kebabCase(word: string): string {
  return word.replace(/[A-Z]/g, (letter, at: number) => `${at === 0 ? '' : '-'}${letter.toLowerCase()}`)
}

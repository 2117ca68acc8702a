// The problems of a set now, each with its reason, its sentence and the next step.
import { failureInfo } from '@dayfly/runner-set/model/failure'
import type { Work } from './leader.ts'
import { type ConditionView, conditionOf, knownReason, type SetView } from './set-view.ts'

export type Problem = {
  /** A reason of the closed list, or another word of the controller in kebab-case. */
  readonly reason: string
  readonly sentence: string
  /** The observation; empty if the sentence says everything. */
  readonly detail: string
  readonly next: string
  /** It has not happened yet, and nothing is held up by it. */
  readonly ahead?: true
}

/** Returns the problems that have happened. */
export function faultsIn<Of extends Pick<Problem, 'ahead'>>(problems: readonly Of[]): readonly Of[] {
  return problems.filter(({ ahead }) => !ahead)
}

/** Returns the problems, those that stop the whole set first. */
export function problemsOf(view: SetView, work: Work): readonly Problem[] {
  const problems: Problem[] = []
  if (work.is === 'no-leader' || work.is === 'unseen' || work.is === 'behind') {
    problems.push({ reason: work.is, sentence: work.sentence, detail: '', next: work.next })
  }
  if (view.specErrors.length > 0) problems.push(ofSpec(view.specErrors.join('; ')))
  problems.push(...ofStatus(view))
  for (const type of ['TemplateAccepted', 'ForgeConnected', 'Ready', 'Degraded']) {
    const condition = conditionOf(view, type)
    if (!condition || isGood(condition)) continue
    const problem = ofCondition(condition, view)
    if (!problems.some(({ reason }) => reason === problem.reason)) problems.push(problem)
  }
  return problems
}

/** Returns the problems without the states that pass by themselves: a new set connects, checks its template and starts its first runner. */
export function lastingProblemsOf(view: SetView, work: Work): readonly Problem[] {
  const passing = new Set(
    view.conditions.flatMap(({ status, reason }) => (status === 'Unknown' ? kebabCase(reason) : [])),
  )
  return problemsOf(view, work).filter(({ reason }) => !passing.has(reason) || knownReason(reason) !== undefined)
}

function ofSpec(detail: string): Problem {
  const next = 'Correct the set. Dayfly reads it again as soon as it changes.'
  return { reason: 'spec-invalid', sentence: 'The set is not valid.', detail, next }
}

/** One reason is one problem, though several runners or parts of the set may show it. */
function ofStatus({ problems }: SetView): readonly Problem[] {
  const reasons = [...new Set(problems.map(({ reason }) => reason))]
  return reasons.map((reason) => {
    const { sentence, next, ahead } = failureInfo(reason)
    const details = problems.filter((problem) => problem.reason === reason).map(({ detail }) => detail)
    return { reason, sentence, detail: details.join(' '), next, ...(ahead ? { ahead } : {}) }
  })
}

function isGood({ type, status, reason }: ConditionView): boolean {
  // The owner of the set wishes a pause.
  if (reason === 'Paused') return true
  return status === (type === 'Degraded' ? 'False' : 'True')
}

/** A condition says more than the problems only if its reason is no failure. */
function ofCondition({ reason: word, message }: ConditionView, view: SetView): Problem {
  const reason = kebabCase(word)
  if (reason === 'spec-invalid') return ofSpec(view.lastMessage ?? '')
  const detail = message.length > 0 ? '' : `reason ${word}`
  return { reason, sentence: message, detail, next: `dayfly explain ${view.name} -n ${view.namespace}` }
}

function kebabCase(word: string): string {
  return word.replace(/[A-Z]/g, (letter, at: number) => `${at === 0 ? '' : '-'}${letter.toLowerCase()}`)
}

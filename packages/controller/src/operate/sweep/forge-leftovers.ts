// Registrations and scale sets that a lost installation left at the forge. Another cluster may use the same account:
// only old, idle registrations without a runner go, and a scale set only if the operator names it.

import { ageText, counted } from '@dayfly/kit/age-text'
import type { AccountRegistration, AccountSet } from '@dayfly/runner-set/forge/account'
import { runnerPrefix, setNameIn } from '@dayfly/runner-set/model/runner-names'
import type { SweepFacts } from './gather.ts'
import type { Part, SweepStep, Untouched } from './step.ts'

/** A younger registration may be a start under way in another cluster, in milliseconds. */
const oldMs = 60 * 60_000

export function forgeLeftovers(facts: SweepFacts, podSteps: readonly SweepStep[]): Part {
  if (!facts.forge?.known) return { steps: [], untouched: [] }
  const { registrations, named } = facts.forge.value
  const prefixes = facts.sets.map((view) => runnerPrefix(view))
  const pods = new Set(facts.pods.map(({ metadata }) => metadata.name))
  const steps: SweepStep[] = []
  const untouched: Untouched[] = []
  for (const one of registrations) {
    if (
      setNameIn(one.name) === undefined ||
      prefixes.some((prefix) => one.name.startsWith(prefix)) ||
      pods.has(one.name)
    )
      continue
    const objection = whyKept(one, facts.at)
    if (objection !== undefined) untouched.push({ what: `registration ${one.name}`, because: objection })
    else {
      const because = one.isCordoned
        ? 'the forge reports it idle and gives it no job, and no RunnerSet of this cluster owns it'
        : 'the forge reports it offline and idle, and no RunnerSet of this cluster owns it'
      steps.push({ does: 'deregister', id: one.id, name: one.name, because })
    }
  }
  const removed = new Set([...steps, ...podSteps].flatMap((step) => idOf(step) ?? []))
  for (const { name, set } of named) {
    const objection = set
      ? whySetKept(
          set,
          facts,
          registrations.filter((one) => one.set === set.id && !removed.has(one.id)),
        )
      : 'the forge does not know it'
    if (set && objection === undefined)
      steps.push({
        does: 'remove-set',
        id: set.id,
        name: set.name,
        because: 'it was named with --scale-set, and has no job and no other runner',
      })
    else untouched.push({ what: `scale set ${name}`, because: objection ?? '' })
  }
  return { steps, untouched: [...untouched, ...unnamedSets(steps, registrations, facts)] }
}

function whyKept(registration: AccountRegistration, at: number): string | undefined {
  const { busy, createdAt } = registration
  if (busy !== false) return 'it may be busy: the forge does not report it as idle'
  if (!isOutOfWork(registration)) return 'its runner may be online'
  if (createdAt === undefined) return 'its age is not known: it may be a start in another cluster'
  if (at - createdAt < oldMs) return `it is ${ageText(at - createdAt)} old: it may be a start in another cluster`
  return undefined
}

/** Whether the runner gets no job. A forge that cordons runners does not say whether a cordoned one is connected. */
export function isOutOfWork({ status, isCordoned }: AccountRegistration): boolean {
  return status === 'offline' || isCordoned === true
}

function whySetKept(set: AccountSet, { sets }: SweepFacts, others: readonly AccountRegistration[]): string | undefined {
  const owner = sets.find((view) => view.forge['scaleSetId'] === set.id)
  if (owner) return `the RunnerSet ${owner.namespace}/${owner.name} uses it`
  if (set.assignedJobs === undefined) return 'the forge does not say whether jobs are assigned to it'
  if (set.assignedJobs > 0) return `${counted(set.assignedJobs, 'job')} assigned to it`
  if (others.length > 0) return `${counted(others.length, 'runner')} of it would stay`
  return undefined
}

/** Shows the scale sets that the registrations belong to, because the forge lists no others. */
function unnamedSets(
  steps: readonly SweepStep[],
  registrations: readonly AccountRegistration[],
  { sets }: SweepFacts,
): readonly Untouched[] {
  const ids = new Set(
    steps.flatMap((step) =>
      step.does === 'deregister' ? (registrations.find(({ id }) => id === step.id)?.set ?? []) : [],
    ),
  )
  const handled = new Set(steps.flatMap((step) => (step.does === 'remove-set' ? step.id : [])))
  return [...ids]
    .filter((id) => !handled.has(id) && !sets.some((view) => view.forge['scaleSetId'] === id))
    .map((id) => ({
      what: `scale set with id ${id}`,
      because: 'name it with --scale-set to remove it, if no other cluster uses it',
    }))
}

function idOf(step: SweepStep): string | undefined {
  if (step.does === 'deregister') return step.id
  return step.does === 'delete-pod' ? step.deregisters : undefined
}

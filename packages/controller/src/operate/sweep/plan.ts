// Turns the facts into a plan: pure. The same facts give the same plan and digest. Nothing that may be busy is touched.

import { anyAccountFlag } from '@dayfly/forges/open/account-flags'
import { ageText } from '@dayfly/kit/age-text'
import { hashValue } from '@dayfly/kit/hash'
import { leases } from '@dayfly/kubernetes/lease-record'
import { forgeLeftovers } from './forge-leftovers.ts'
import type { SweepFacts } from './gather.ts'
import { podLeftovers } from './pod-leftovers.ts'
import { secretLeftovers } from './secret-leftovers.ts'
import type { Part, SweepPlan, SweepStep, Untouched } from './step.ts'

/** A Lease whose holder has been silent for less may come back, in milliseconds. */
const silentMs = 10 * 60_000

export function planSweep(facts: SweepFacts): SweepPlan {
  const podPart = podLeftovers(facts)
  const parts = [podPart, secretLeftovers(facts), leaseLeftovers(facts), forgeLeftovers(facts, podPart.steps)]
  const steps = parts.flatMap((part) => part.steps)
  return {
    steps,
    untouched: parts.flatMap((part) => part.untouched),
    unknown: [
      ...(facts.secrets.known ? [] : [`Secrets of runners that are gone: ${facts.secrets.why}.`]),
      ...(facts.leaders.known ? [] : [`The Lease of the controller: ${facts.leaders.why}.`]),
      ...(facts.forge && !facts.forge.known ? [`Registrations at the forge: ${facts.forge.why}.`] : []),
      ...(facts.forge ? [] : [`Registrations at the forge: no account was given (${anyAccountFlag}).`]),
    ],
    digest: hashValue(steps, 16),
  }
}

/** A Lease may go only if no RunnerSet needs a controller. */
function leaseLeftovers({ leaders, sets, at }: SweepFacts): Part {
  if (!leaders.known || sets.length > 0) return { steps: [], untouched: [] }
  const untouched: Untouched[] = []
  const steps: SweepStep[] = []
  for (const { is, lease, holder, renewedAt = 0, uid, resourceVersion } of leaders.value) {
    const what = `Lease ${lease.namespace}/${lease.name}`
    if (is === 'leading') untouched.push({ what, because: `${holder} holds it: a controller runs` })
    else if (at - renewedAt < silentMs)
      untouched.push({ what, because: `it was renewed ${ageText(at - renewedAt)} ago: wait ${ageText(silentMs)}` })
    else {
      const target = { resource: leases, ...lease, uid, resourceVersion }
      steps.push({ does: 'delete-lease', target, because: 'no RunnerSet exists, and no controller holds it' })
    }
  }
  return { steps, untouched }
}

// What a set says of itself: conditions in Kubernetes' conventions, counts that are true or unknown, the last reason.
import type { Instant } from '../lib/clock.ts'
import { type Failure, failureInfo } from '../model/failure.ts'
import type { Limits } from '../model/limits.ts'
import type { Condition, SetStatus } from '../model/status.ts'
import type { SetWorld } from '../model/world.ts'

export function statusOf(world: SetWorld, limits: Limits, now: Instant): SetStatus {
  const counts = world.counts.known ? world.counts.value : undefined
  const demandKnown = world.demand.known && now - world.demand.at <= limits.demandAgeMs
  const demand = demandKnown && world.demand.known ? world.demand.value : undefined
  const conditions = conditionsOf(world, demandKnown)
  const reason = shownFailure(world)
  return {
    observedGeneration: world.set.generation,
    demand: demand === undefined ? null : demand.kind === 'utilisation' ? demand.busy : demand.jobs,
    idle: counts?.idle ?? null,
    busy: counts?.busy ?? null,
    pending: counts?.starting ?? null,
    failed: counts ? world.history.failuresInARow : null,
    lastReason: reason?.reason ?? null,
    lastMessage: reason ? reason.message : null,
    conditions,
    forge: world.forgeState,
  }
}

/** What hinders the set now comes before what happened to one runner. */
function shownFailure(world: SetWorld): Failure | undefined {
  if (world.template.known && world.template.value.is === 'refused') return world.template.value.failure
  return world.forgeFailure ?? world.history.last
}

function conditionsOf(world: SetWorld, demandKnown: boolean): readonly Condition[] {
  const template = templateCondition(world)
  const forge = forgeCondition(world, demandKnown)
  const degraded = degradedCondition(world)
  const blocking = [template, forge].find((condition) => condition.status !== 'True')
  const ready: Condition = blocking
    ? { type: 'Ready', status: blocking.status, reason: blocking.reason, message: blocking.message }
    : { type: 'Ready', status: 'True', reason: 'Ready', message: 'Runners start when jobs ask for them.' }
  return [ready, template, forge, degraded]
}

function templateCondition(world: SetWorld): Condition {
  const { template, templateHash } = world
  if (!template.known || template.value.hash !== templateHash) {
    return {
      type: 'TemplateAccepted',
      status: 'Unknown',
      reason: 'Checking',
      message: 'The template is being checked.',
    }
  }
  if (template.value.is === 'refused') return failing('TemplateAccepted', 'False', template.value.failure)
  return {
    type: 'TemplateAccepted',
    status: 'True',
    reason: 'Accepted',
    message: 'The API server accepts the template.',
  }
}

function forgeCondition(world: SetWorld, demandKnown: boolean): Condition {
  if (world.forgeFailure) {
    const status = world.forgeFailure.reason === 'forge-unreachable' ? 'Unknown' : 'False'
    return failing('ForgeConnected', status, world.forgeFailure)
  }
  if (demandKnown) {
    return { type: 'ForgeConnected', status: 'True', reason: 'Connected', message: 'The forge tells its demand.' }
  }
  return { type: 'ForgeConnected', status: 'Unknown', reason: 'Connecting', message: 'No demand is known yet.' }
}

function degradedCondition(world: SetWorld): Condition {
  const { last, failuresInARow } = world.history
  if (last && failuresInARow > 0) return failing('Degraded', 'True', last)
  return { type: 'Degraded', status: 'False', reason: 'AsExpected', message: 'The last runner did not fail.' }
}

function failing(type: Condition['type'], status: Condition['status'], failure: Failure): Condition {
  const { sentence, next } = failureInfo(failure.reason)
  return { type, status, reason: camelCase(failure.reason), message: `${sentence} ${failure.message} — ${next}` }
}

/** `image-missing` as Kubernetes' conditions want it: `ImageMissing`. */
export function camelCase(reason: string): string {
  return reason.replace(/(?:^|-)([a-z])/g, (_match, letter: string) => letter.toUpperCase())
}

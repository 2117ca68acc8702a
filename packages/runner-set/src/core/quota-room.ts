// How many pods of a set the ResourceQuotas of its namespace allow.
import type { PodUse, QuotaScope } from '../model/quota.ts'
import type { Counts } from '../model/runner.ts'
import type { SetWorld } from '../model/world.ts'

/** @param pods so many pods of the set fit @param free so many more than exist now */
export type QuotaRoom = {
  readonly pods: number
  readonly free: number
  readonly quota: string
  readonly resource: string
}

/** The resources that a pod uses until it is deleted. The rest is free when its containers have ended. */
const keptToTheEnd: readonly string[] = ['count/pods', 'secrets', 'count/secrets']

/**
 * Returns the room that each quota of the namespace leaves for the set, for each resource that its pods use. The list is empty
 * while the quotas are not known. Others use the amount that a quota counts beyond the set's own pods, so that the room stays the same while
 * pods of the set come and go.
 */
export function quotaRooms(
  { template, quotas, stuck }: Pick<SetWorld, 'template' | 'quotas' | 'stuck'>,
  { starting, idle, busy, spent, ended, occupied }: Counts,
): readonly QuotaRoom[] {
  if (template?.is !== 'accepted' || typeof quotas === 'string') return []
  const { use } = template
  const all = starting + idle + busy + spent + ended
  const running = Math.min(all, occupied + (stuck?.count ?? 0))
  const own = (resource: string) => (keptToTheEnd.includes(resource) ? all : running)
  return quotas
    .filter(({ scopes }) => scopes.every((scope) => matches(use, scope)))
    .flatMap(({ name: quota, hard, used }) =>
      Object.entries(hard).flatMap(([resource, limit]) => {
        const each = use.amounts[resource] ?? 0
        if (each <= 0) return []
        const others = Math.max(0, (used[resource] ?? 0) - own(resource) * each)
        const pods = Math.max(0, Math.floor((limit - others) / each + rounding))
        return [{ pods, free: Math.max(0, pods - own(resource)), quota, resource }]
      }),
    )
}

/** Says how many pods of a set a quota allows, as the rest of a sentence. */
export function roomText({ pods, quota, resource }: Omit<QuotaRoom, 'free'>): string {
  return `the ResourceQuota ${quota} has room for ${pods} by its ${resource}`
}

/** Amounts are doubles: 0.3 of 0.1 each is three. */
const rounding = 1e-9

/** A scope that Dayfly does not know keeps the quota out: the API server refuses what does not fit. */
function matches(use: PodUse, { name, operator, values }: QuotaScope): boolean {
  switch (name) {
    case 'Terminating':
      return use.isTerminating
    case 'NotTerminating':
      return !use.isTerminating
    case 'BestEffort':
      return use.isBestEffort
    case 'NotBestEffort':
      return !use.isBestEffort
    case 'PriorityClass':
      return matchesClass(use.priorityClass, operator, values)
    default:
      return false
  }
}

function matchesClass(name: string | undefined, operator: string, values: readonly string[]): boolean {
  switch (operator) {
    case 'In':
      return name !== undefined && values.includes(name)
    case 'NotIn':
      return name === undefined || !values.includes(name)
    case 'DoesNotExist':
      return name === undefined
    default:
      return name !== undefined
  }
}

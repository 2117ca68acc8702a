// What the steps of a plan must be allowed to do: asked before the plan is shown, so that nothing is discovered halfway.
import { KubernetesError } from '../../kubernetes/errors.ts'
import type { Access, Inquiry } from '../../kubernetes/inquiry.ts'
import type { Resource } from '../../kubernetes/types.ts'
import { limit } from '../../lib/queue.ts'
import { deployments, ephemeralRunners, events, isBuiltIn, leases, nodes, pods } from './resources.ts'
import type { Action, Draft, Guard } from './step.ts'

/** `denied` by the key of each access that was asked for; what is not in it is allowed, or could not be asked. */
export type Permissions = {
  readonly denied: ReadonlySet<string>
  /** Why some of it is not known; then a step may still be refused when it comes. */
  readonly unknown: string | undefined
}

/** As if everything were allowed. */
export const unasked: Permissions = { denied: new Set(), unknown: undefined }

/** The first thing that a step needs and may not do. */
export function missing(draft: Draft, { denied }: Permissions): Access | undefined {
  return needsOf(draft).find((access) => denied.has(keyOf(access)))
}

/** Where an action may not be told of: its namespace. */
export function mute(action: Action, { denied }: Permissions): string | undefined {
  const access = telling(action)
  return access && denied.has(keyOf(access)) ? access.namespace : undefined
}

/** A sentence's end: "delete pods in namespace ci". */
export function sayAccess({ verb, resource: { group, plural }, namespace }: Access): string {
  const kind = group === '' ? plural : `${plural}.${group}`
  return `${verb} ${kind}${namespace === undefined ? '' : ` in namespace ${namespace}`}`
}

/** Asks once for each thing; what is allowed in all namespaces is not asked for in each. */
export async function askPermissions(
  inquiry: Inquiry,
  drafts: readonly Draft[],
  signal?: AbortSignal,
): Promise<Permissions> {
  const needs = drafts.flatMap((draft) => [...needsOf(draft), telling(draft.action) ?? []].flat())
  const denied = new Set<string>()
  let unknown: string | undefined
  const slots = limit(slotsMax)
  const ask = async (accesses: readonly Access[]) => {
    const once = new Map(accesses.map((access) => [keyOf(access), access]))
    const asked = [...once].map(([key, access]) =>
      slots(async () => {
        const verdict = await mayDo(inquiry, access, signal)
        if (verdict === false) denied.add(key)
        else if (verdict !== true) unknown ??= verdict
      }),
    )
    await Promise.all(asked)
  }
  await ask(needs.map(everywhere))
  await ask(needs.filter((access) => access.namespace !== undefined && denied.has(keyOf(everywhere(access)))))
  return { denied, unknown }
}

const slotsMax = 8

/** Or why it is not known. Nobody needs a right to what is not there. */
async function mayDo(inquiry: Inquiry, access: Access, signal: AbortSignal | undefined): Promise<boolean | string> {
  try {
    if (await inquiry.mayI(access, signal)) return true
    return !isBuiltIn(access.resource) && (await inquiry.versionsOf(access.resource, signal)).length === 0
  } catch (error) {
    if (error instanceof KubernetesError) return error.message
    throw error
  }
}

function needsOf({ action, guards }: Draft): readonly Access[] {
  const guarding = guards.flatMap(needsOfGuard)
  if (action.do === 'deregister') return guarding
  const { resource, namespace } = action.target
  const verb = action.do === 'delete' ? 'delete' : 'patch'
  return [{ verb, resource, namespace }, { verb: 'get', resource, namespace }, ...guarding]
}

function needsOfGuard(guard: Guard): readonly Access[] {
  switch (guard.is) {
    case 'not-busy': {
      const { resource, namespace } = guard.target
      return resource.kind === 'Pod'
        ? [{ verb: 'get', resource: ephemeralRunners, namespace }]
        : [{ verb: 'list', resource: pods, namespace }]
    }
    case 'absent':
      return [{ verb: 'get', resource: guard.target.resource, namespace: guard.target.namespace }]
    case 'node-gone':
      return [listing(nodes)]
    case 'no-runner':
      return [pods, ephemeralRunners].map(listing)
    case 'left-over':
      return []
    case 'controller-gone':
      return [pods, deployments, leases, nodes].map(listing)
  }
}

function listing(resource: Resource): Access {
  return { verb: 'list', resource, namespace: undefined }
}

function everywhere(access: Access): Access {
  return { ...access, namespace: undefined }
}

function telling(action: Action): Access | undefined {
  if (action.do === 'deregister') return undefined
  return { verb: 'create', resource: events, namespace: action.target.namespace }
}

function keyOf({ verb, resource: { group, plural }, namespace }: Access): string {
  return `${verb} ${plural}.${group} ${namespace ?? '*'}`
}

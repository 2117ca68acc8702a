// Asks whether the credential allows the steps of a plan, before the plan is shown. No step then fails halfway for a missing right.
import { limit } from '@dayfly/kit/queue'
import { KubernetesError } from '@dayfly/kubernetes/errors'
import type { Access, Inquiry } from '@dayfly/kubernetes/inquiry'
import type { Resource } from '@dayfly/kubernetes/types'
import { deployments, ephemeralRunners, events, isBuiltIn, leases, nodes, pods, secrets } from './resources.ts'
import type { Action, Draft, Guard } from './step.ts'

/** `denied` holds the keys of denied accesses. Any other access is allowed, or could not be asked for. */
export type Permissions = {
  readonly denied: ReadonlySet<string>
  /** Why some permissions are unknown. The API server may then still refuse a step. */
  readonly unknown: string | undefined
}

/** Assumes that everything is allowed. */
export const unasked: Permissions = { denied: new Set(), unknown: undefined }

/** Returns the first access that a step needs and that is denied. */
export function missing(draft: Draft, { denied }: Permissions): Access | undefined {
  return needsOf(draft).find((access) => denied.has(keyOf(access)))
}

/** Returns the action's namespace if the credential may not create Events there. */
export function unrecorded(action: Action, { denied }: Permissions): string | undefined {
  const access = eventAccess(action)
  return access && denied.has(keyOf(access)) ? access.namespace : undefined
}

/** Returns the end of a sentence: "delete pods in namespace ci". */
export function describeAccess({ verb, resource: { group, plural }, namespace }: Access): string {
  const kind = group === '' ? plural : `${plural}.${group}`
  return `${verb} ${kind}${namespace === undefined ? '' : ` in namespace ${namespace}`}`
}

/** Asks for each access once. An access that is allowed in all namespaces is not asked for in each. */
export async function askPermissions(
  inquiry: Inquiry,
  drafts: readonly Draft[],
  signal?: AbortSignal,
): Promise<Permissions> {
  const needs = drafts.flatMap((draft) => [...needsOf(draft), eventAccess(draft.action) ?? []].flat())
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

/** Returns a string if the answer is unknown. A kind that is not served needs no permission. */
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
    case 'idle-at-forge':
      return [{ verb: 'list', resource: pods, namespace: guard.target.namespace }]
    case 'credentials-gone':
      return [{ verb: 'list', resource: secrets, namespace: guard.secret.namespace }]
    case 'unnamed':
      return [{ verb: 'list', resource: guard.target.resource, namespace: guard.target.namespace }]
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

function eventAccess(action: Action): Access | undefined {
  if (action.do === 'deregister') return undefined
  return { verb: 'create', resource: events, namespace: action.target.namespace }
}

function keyOf({ verb, resource: { group, plural }, namespace }: Access): string {
  return `${verb} ${plural}.${group} ${namespace ?? '*'}`
}

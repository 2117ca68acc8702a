// Builds the least roles: one that only reads, and one for the repairs of the chosen rules. Reading therefore needs no right to delete.
import type { Resource } from '@dayfly/kubernetes/types'
import {
  deployments,
  ephemeralRunnerSets,
  ephemeralRunners,
  events,
  jobs,
  leases,
  listeners,
  liveKinds,
  nodes,
  pods,
  protectedResources,
  scaleSets,
} from './resources.ts'

type RoleOptions = {
  /** The slugs of the rules whose repairs are allowed. A rule without a repair adds nothing. */
  readonly fixes: readonly string[]
  /** Default: the whole cluster. */
  readonly namespaces?: readonly string[] | undefined
  /** Also allows reading logs. */
  readonly logs?: boolean | undefined
}

type RoleObject = {
  readonly apiVersion: 'rbac.authorization.k8s.io/v1'
  readonly kind: 'Role' | 'ClusterRole'
  readonly metadata: { readonly name: string; readonly namespace?: string }
  readonly rules: readonly PolicyRule[]
}
type PolicyRule = {
  readonly apiGroups: readonly string[]
  readonly resources: readonly string[]
  readonly verbs: readonly Verb[]
}
type Verb = 'get' | 'list' | 'create' | 'patch' | 'delete'
type Grant = readonly [Resource, readonly Verb[]]

/** Returns objects for YAML: the reader first, then the fixer if a rule was named. A resource without a namespace always needs a ClusterRole. */
export function doctorRoles({ fixes, namespaces, logs }: RoleOptions): readonly RoleObject[] {
  const fixing = fixes.flatMap((slug) => [...(grants[slug] ?? []), ...(slug === listenerRule ? [] : guarding)])
  return [
    ...rolesFor('dayfly-doctor-reader', logs ? [...reading, readingLogs] : reading, namespaces),
    ...(fixes.some((slug) => grants[slug])
      ? rolesFor('dayfly-doctor-fixer', [...fixing, ...recording], namespaces)
      : []),
  ]
}

const reading: readonly Grant[] = [
  ...liveKinds.flatMap(({ resource, ifAllowed }): Grant[] => (ifAllowed ? [] : [[resource, ['list']]])),
  [events, ['list']],
]

/** Logs may hold secrets, so the reader's role has this right only on request. */
const readingLogs: Grant = [{ ...pods, plural: 'pods/log' }, ['get']]

/** The Event after each step. */
const recording: readonly Grant[] = [[events, ['create']]]

/** Its repair ends no runner, so it needs none of the checks for busy runners. */
const listenerRule = 'listener-of-gone-set'

/**
 * The checks before each step on a runner.
 * Asking for permissions and for the served kinds needs no grant: `system:basic-user` and `system:discovery` allow both.
 */
const guarding: readonly Grant[] = [
  [pods, ['list']],
  [nodes, ['list']],
  [ephemeralRunners, ['get']],
]

const endRunner: readonly Grant[] = [[ephemeralRunners, ['get', 'delete']]]
const freeing: readonly Verb[] = ['get', 'delete', 'patch']

/**
 * Two rules are absent. `orphan-registration` reads with the reader's role and removes at the forge.
 * `runner-session-conflict` finds running runners, which people must repair.
 */
const grants: Readonly<Record<string, readonly Grant[]>> = {
  'zombie-runner-pod': [[pods, ['get', 'delete']], [jobs, ['get', 'delete']], ...endRunner],
  'stuck-terminating': [
    [pods, ['get', 'delete', 'patch']],
    [jobs, ['get']],
  ],
  'orphan-completed-pods': [
    [pods, ['get', 'delete']],
    [jobs, ['get']],
  ],
  'tracking-finalizer-stuck': [
    [pods, ['get', 'patch']],
    [jobs, ['get']],
  ],
  'ephemeralrunner-failed-silently': endRunner,
  'slots-held-by-failed': endRunner,
  'runner-cr-without-pod': endRunner,
  [listenerRule]: [
    [listeners, ['get', 'delete']],
    [ephemeralRunnerSets, ['list']],
  ],
  'uninstall-stuck': [
    ...[ephemeralRunners, ephemeralRunnerSets, listeners].map((resource): Grant => [resource, freeing]),
    [scaleSets, ['get', 'patch']],
    // The Role and the RoleBinding of a listener are deleted, because no object owns them.
    ...protectedResources.map(
      (resource): Grant => [
        resource,
        resource.kind.startsWith('Role') ? ['get', 'list', 'patch', 'delete'] : ['get', 'list', 'patch'],
      ],
    ),
    [deployments, ['list']],
    [leases, ['list']],
  ],
}

function rolesFor(
  name: string,
  wanted: readonly Grant[],
  namespaces: readonly string[] | undefined,
): readonly RoleObject[] {
  const apiVersion = 'rbac.authorization.k8s.io/v1'
  if (!namespaces) return [{ apiVersion, kind: 'ClusterRole', metadata: { name }, rules: policyOf(wanted) }]
  const wide = policyOf(wanted.filter(([resource]) => !resource.namespaced))
  const rules = policyOf(wanted.filter(([resource]) => resource.namespaced))
  return [
    ...(wide.length > 0 ? [{ apiVersion, kind: 'ClusterRole', metadata: { name }, rules: wide } as const] : []),
    ...namespaces.map((namespace) => ({ apiVersion, kind: 'Role', metadata: { name, namespace }, rules }) as const),
  ]
}

/** Returns one rule for each group and set of verbs. */
function policyOf(wanted: readonly Grant[]): readonly PolicyRule[] {
  const verbsOf = new Map<Resource, Set<Verb>>()
  for (const [resource, verbs] of wanted) verbsOf.set(resource, new Set([...(verbsOf.get(resource) ?? []), ...verbs]))
  const rules = new Map<string, { group: string; plurals: string[]; verbs: readonly Verb[] }>()
  for (const [{ group, plural }, set] of verbsOf) {
    const verbs = order.filter((verb) => set.has(verb))
    const key = `${group} ${verbs.join(' ')}`
    const rule = rules.get(key) ?? { group, plurals: [], verbs }
    rules.set(key, { ...rule, plurals: [...rule.plurals, plural] })
  }
  return [...rules.values()].map(({ group, plurals, verbs }) => ({ apiGroups: [group], resources: plurals, verbs }))
}

const order: readonly Verb[] = ['get', 'list', 'create', 'patch', 'delete']

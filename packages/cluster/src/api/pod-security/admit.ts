// Pod Security admission: the labels of a namespace refuse pods, and warn about pods and about what makes pods.
// https://kubernetes.io/docs/concepts/security/pod-security-admission/
import { asJsonObject, fieldsAt, type JsonObject, textAt } from '@dayfly/kit/read-json'
import type { Api } from '../api.ts'
import { forbidden } from '../errors.ts'
import type { Kind } from '../kind.ts'
import type { Draft } from '../verbs/draft.ts'
import { type Level, violationsOf } from './standards.ts'

/** The place of the pod spec in the objects that make pods. */
const templates: Readonly<Record<string, readonly string[]>> = {
  pods: ['spec'],
  podtemplates: ['template', 'spec'],
  replicationcontrollers: ['spec', 'template', 'spec'],
  'deployments.apps': ['spec', 'template', 'spec'],
  'replicasets.apps': ['spec', 'template', 'spec'],
  'statefulsets.apps': ['spec', 'template', 'spec'],
  'daemonsets.apps': ['spec', 'template', 'spec'],
  'jobs.batch': ['spec', 'template', 'spec'],
  'cronjobs.batch': ['spec', 'jobTemplate', 'spec', 'template', 'spec'],
}

const label = 'pod-security.kubernetes.io'

/** Throws 403 for a pod that the enforced level forbids. Warns about a pod, or about what makes pods, that the level of warnings forbids. */
export function admitPodSecurity(
  api: Pick<Api, 'store'>,
  kind: Kind,
  draft: Draft,
  warn: ((warning: string) => void) | undefined,
): void {
  const path = templates[kind.resource]
  const namespace = draft.metadata.namespace
  if (path === undefined || namespace === undefined) return
  const labels = api.store.get('namespaces', namespace)?.metadata.labels ?? {}
  const spec = fieldsAt(asJsonObject(draft) ?? {}, ...path)
  if (!spec) return
  const enforced = policyOf(labels, 'enforce')
  if (kind.resource === 'pods' && enforced) {
    const violations = violationsText(enforced.level, spec)
    if (violations !== '') {
      throw forbidden(kind, draft.metadata.name ?? '', `violates PodSecurity "${nameOf(enforced)}": ${violations}`)
    }
  }
  // Without a level of its own, a warning has that of the enforcement.
  const warned = policyOf(labels, 'warn') ?? enforced
  const violations = warned && warn ? violationsText(warned.level, spec) : ''
  if (warned && violations !== '') warn?.(`would violate PodSecurity "${nameOf(warned)}": ${violations}`)
}

type Policy = { readonly level: Level; readonly version: string }

/** Returns undefined for the level `privileged`, which forbids nothing. An unknown level is the strictest one, as in Kubernetes. */
function policyOf(labels: Readonly<Record<string, string>>, mode: 'enforce' | 'warn'): Policy | undefined {
  const level = labels[`${label}/${mode}`]
  if (level === undefined) return undefined
  const version = labels[`${label}/${mode}-version`] ?? 'latest'
  if (level === 'privileged') return undefined
  if (level === 'baseline') return { level, version }
  return mode === 'enforce' || level === 'restricted' ? { level: 'restricted', version } : undefined
}

function nameOf({ level, version }: Policy): string {
  return `${level}:${version}`
}

function violationsText(level: Level, spec: JsonObject): string {
  if (textAt(spec, 'os', 'name') === 'windows') return ''
  return violationsOf(level, spec)
    .map(({ reason, detail }) => `${reason} (${detail})`)
    .join(', ')
}

// Maps each kind to its rules.
import type { Kind } from '../kind.ts'
import { priorityClassRules, runtimeClassRules } from './classes.ts'
import { customRules } from './custom-resource.ts'
import { definitionRules } from './custom-resource-definition.ts'
import { eventRules } from './event.ts'
import { jobRules } from './job/job-rules.ts'
import { limitRangeRules } from './limit-range.ts'
import { checkClaimLimits } from './limits.ts'
import { webhookRules } from './mutating-webhook.ts'
import { namespaceRules } from './namespace.ts'
import { podRules } from './pod/pod-rules.ts'
import { quotaRules } from './resource-quota.ts'
import type { Rules } from './rules.ts'
import { configMapRules, secretRules } from './secret.ts'
import { budgetRules, leaseRules, nodeRules, pendingRules, roleRules } from './simple-kinds.ts'
import { deploymentRules, podTemplateRules, replicaSetRules } from './workload.ts'

const rulebook: ReadonlyMap<string, Rules> = new Map([
  ['namespaces', namespaceRules],
  ['customresourcedefinitions.apiextensions.k8s.io', definitionRules],
  ['events', eventRules],
  ['jobs.batch', jobRules],
  ['deployments.apps', deploymentRules],
  ['replicasets.apps', replicaSetRules],
  ['podtemplates', podTemplateRules],
  ['poddisruptionbudgets.policy', budgetRules],
  ['mutatingwebhookconfigurations.admissionregistration.k8s.io', webhookRules],
  ['roles.rbac.authorization.k8s.io', roleRules],
  ['rolebindings.rbac.authorization.k8s.io', roleRules],
  ['clusterroles.rbac.authorization.k8s.io', roleRules],
  ['clusterrolebindings.rbac.authorization.k8s.io', roleRules],
  ['leases.coordination.k8s.io', leaseRules],
  ['nodes', nodeRules],
  ['pods', podRules],
  ['secrets', secretRules],
  ['configmaps', configMapRules],
  ['resourcequotas', quotaRules],
  ['limitranges', limitRangeRules],
  ['priorityclasses.scheduling.k8s.io', priorityClassRules],
  ['runtimeclasses.node.k8s.io', runtimeClassRules],
  ['persistentvolumeclaims', { ...pendingRules, admit: checkClaimLimits }],
  ['persistentvolumes', pendingRules],
])

const plain: Rules = {}

export function rulesOf(kind: Kind): Rules {
  if (kind.custom) return customRules(kind)
  return rulebook.get(kind.resource) ?? plain
}

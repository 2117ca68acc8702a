// The controller's rights in Kubernetes: each verb that it calls, and no other. The chart's roles and the guide derive from this list.

import { accessReviews, tokenReviews } from '@dayfly/kubernetes/identity'
import { leases } from '@dayfly/kubernetes/lease-record'
import { podMetrics } from '@dayfly/kubernetes/pod-metrics'
import type { Resource } from '@dayfly/kubernetes/types'
import { configMaps, events, pods, resourceQuotas, runnerSets, secrets } from './resources.ts'

export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete'

export type Right = {
  readonly resource: Resource
  readonly subresource?: 'status' | 'log'
  readonly verbs: readonly Verb[]
  /** Only the controller's own object has these verbs. `create` cannot be limited to a name. */
  readonly named?: 'lease'
  /** The purpose, as a sentence after "The controller". */
  readonly use: string
}

/** The rights in each namespace whose RunnerSets the controller serves. */
export const runnerRights: readonly Right[] = [
  { resource: runnerSets, verbs: ['list', 'watch'], use: 'reads the RunnerSets' },
  {
    resource: runnerSets,
    verbs: ['create', 'patch', 'delete'],
    use: 'keeps a RunnerSet for each size of a RunnerSet with sizes',
  },
  {
    resource: runnerSets,
    subresource: 'status',
    verbs: ['patch'],
    use: 'reports conditions and counts, and stores the ids of the forge',
  },
  {
    resource: pods,
    verbs: ['get', 'list', 'watch', 'create', 'delete'],
    use: 'starts, observes and removes runners, and tries templates as a dry run',
  },
  {
    resource: secrets,
    verbs: ['get', 'create', 'delete'],
    use: 'reads the Secrets that a RunnerSet names, writes the credential of each runner, and looks for it after another process',
  },
  {
    resource: configMaps,
    verbs: ['get'],
    use: 'reads the certificate authority that a RunnerSet names',
  },
  {
    resource: events,
    verbs: ['list', 'create', 'patch'],
    use: 'finds why a runner does not start, and reports failures at the RunnerSet',
  },
  {
    resource: resourceQuotas,
    verbs: ['list', 'watch'],
    use: 'sees how many runners the ResourceQuotas of the namespace allow, and announces no more to GitHub',
  },
]

/** The right in each namespace of runners that an operator may leave out, because the installer of the chart must have it, too. Without it no usage of jobs is known. */
export const usageRights: readonly Right[] = [
  {
    resource: podMetrics,
    verbs: ['list'],
    use: 'measures what jobs use, so that `dayfly explain` compares it with their requests. Nothing else needs this right',
  },
]

/** The right that an operator may add for sets of Bitbucket, in each namespace of runners. Without it a busy runner is seen in the next list. */
export const jobLogRights: readonly Right[] = [
  {
    resource: pods,
    subresource: 'log',
    verbs: ['get'],
    use: 'sees in the log of a runner of Bitbucket that a step begins and how it ends',
  },
]

/** The rights that an operator adds for sets with `jobs: pods`, in each namespace of runners. Without them, a pod of a job may outlive its runner. */
export const jobPodRights: readonly Right[] = [
  {
    resource: pods,
    verbs: ['patch'],
    use: 'makes the pod of a runner the owner of the pod of its job, so that both end together',
  },
  {
    resource: secrets,
    verbs: ['patch'],
    use: 'makes the pod of a runner the owner of the registry credential of its job',
  },
]

/** The right that `costLabels` of the chart adds, in each namespace of runners. */
export const costLabelRights: readonly Right[] = [
  { resource: pods, verbs: ['patch'], use: 'labels the pod of a job with its repository and workflow, for cost tools' },
]

/** The rights that the page needs where it asks for tokens: they are of the whole cluster. */
export const dashboardRights: readonly Right[] = [
  { resource: tokenReviews, verbs: ['create'], use: 'asks whose token a viewer of the page has' },
  { resource: accessReviews, verbs: ['create'], use: 'asks which RunnerSets that viewer may get' },
]

/** The rights in the namespace of the Lease. */
export const leaseRights: readonly Right[] = [
  { resource: leases, verbs: ['create'], use: 'creates the Lease of the election' },
  { resource: leases, verbs: ['get', 'update'], named: 'lease', use: 'takes, renews and releases that Lease' },
]

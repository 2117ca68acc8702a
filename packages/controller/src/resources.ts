// The kinds that the controller uses: its Role must allow these and nothing else.
import type { Resource } from '@dayfly/kubernetes/types'
import { apiGroup, apiVersion } from '@dayfly/runner-set/model/api'

export const pods: Resource = { group: '', version: 'v1', plural: 'pods', kind: 'Pod', namespaced: true }
export const secrets: Resource = { group: '', version: 'v1', plural: 'secrets', kind: 'Secret', namespaced: true }
export const configMaps: Resource = {
  group: '',
  version: 'v1',
  plural: 'configmaps',
  kind: 'ConfigMap',
  namespaced: true,
}
export const events: Resource = { group: '', version: 'v1', plural: 'events', kind: 'Event', namespaced: true }
export const resourceQuotas: Resource = {
  group: '',
  version: 'v1',
  plural: 'resourcequotas',
  kind: 'ResourceQuota',
  namespaced: true,
}
export const runnerSets: Resource = {
  group: apiGroup,
  version: apiVersion,
  plural: 'runnersets',
  kind: 'RunnerSet',
  namespaced: true,
}

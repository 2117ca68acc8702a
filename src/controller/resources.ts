// The kinds the controller touches: what its Role must allow, and nothing else.
import type { Resource } from '../kubernetes/types.ts'

export const pods: Resource = { group: '', version: 'v1', plural: 'pods', kind: 'Pod', namespaced: true }
export const secrets: Resource = { group: '', version: 'v1', plural: 'secrets', kind: 'Secret', namespaced: true }
export const events: Resource = { group: '', version: 'v1', plural: 'events', kind: 'Event', namespaced: true }
export const runnerSets: Resource = {
  group: 'dayfly.dev',
  version: 'v1alpha1',
  plural: 'runnersets',
  kind: 'RunnerSet',
  namespaced: true,
}

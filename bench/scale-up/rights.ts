// The controller's rights, which the benchmark grants to its ServiceAccount.

type Rule = {
  readonly apiGroups: readonly string[]
  readonly resources: readonly string[]
  readonly verbs: readonly string[]
}

export const controllerRules: readonly Rule[] = [
  { apiGroups: [''], resources: ['pods'], verbs: ['get', 'list', 'watch', 'create', 'delete'] },
  { apiGroups: [''], resources: ['secrets'], verbs: ['get', 'create', 'delete'] },
  { apiGroups: [''], resources: ['events'], verbs: ['list', 'create', 'patch'] },
  { apiGroups: ['dayfly.dev'], resources: ['runnersets'], verbs: ['list', 'watch'] },
  { apiGroups: ['dayfly.dev'], resources: ['runnersets/status'], verbs: ['patch'] },
  { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['get', 'create', 'update'] },
]

// Deployments: stored with their defaults, so that what is installed and uninstalled is complete; no controller acts on them here.
import { field, isObject, sameJson } from '../json.ts'
import { fillTemplateSpec } from './pod/pod-defaults.ts'
import { specOf } from './pod/pod-spec.ts'
import type { Rules } from './rules.ts'

export const deploymentRules: Rules = {
  fill: (draft) => {
    const template = field(draft, 'spec', 'template')
    if (!isObject(draft['spec']) || !isObject(template)) return
    const spec = specOf({ apiVersion: 'v1', kind: 'Pod', metadata: {}, spec: template['spec'] })
    fillTemplateSpec(spec)
    draft['spec'] = { replicas: 1, ...draft['spec'], template: { ...template, spec } }
  },
  prepare: (draft) => {
    draft.metadata.generation = 1
    draft['status'] = {}
  },
  changesGeneration: (draft, current) => !sameJson(draft['spec'], current['spec']),
}

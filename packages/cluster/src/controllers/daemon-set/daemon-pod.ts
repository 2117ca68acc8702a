// The pod of a DaemonSet on a node: what it tolerates, how it is bound to its node, and which nodes admit it.
// Source: https://github.com/kubernetes/kubernetes/blob/release-1.36/pkg/controller/daemon/util/daemonset_util.go
import { type JsonObject, objectAt, objects, text } from '../../api/json.ts'
import { nodeOf } from '../../api/pod-state.ts'
import type { StoredObject } from '../../store/object.ts'
import { matchesSelector, untoleratedTaint } from '../fit.ts'
import { podFromTemplate } from '../pods.ts'
import { type DaemonSet, hashLabel } from './daemon-set-object.ts'

const required = 'requiredDuringSchedulingIgnoredDuringExecution'

/** The failures of a node that do not end its daemons, with the effect of each taint. */
const tolerated = [
  ['not-ready', 'NoExecute'],
  ['unreachable', 'NoExecute'],
  ['disk-pressure', 'NoSchedule'],
  ['memory-pressure', 'NoSchedule'],
  ['pid-pressure', 'NoSchedule'],
  ['unschedulable', 'NoSchedule'],
] as const

/** Returns the pod for a node. */
export function daemonPod(set: DaemonSet, hash: string, node: string): ReturnType<typeof podFromTemplate> {
  const { metadata, spec } = podFromTemplate(set, set.spec.template)
  const labels = { ...objectAt(metadata, 'labels'), [hashLabel]: hash }
  const nodeAffinity = {
    ...objectAt(spec, 'affinity', 'nodeAffinity'),
    [required]: {
      nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: [node] }] }],
    },
  }
  const affinity = { ...objectAt(spec, 'affinity'), nodeAffinity }
  return { metadata: { ...metadata, labels }, spec: { ...spec, affinity, tolerations: tolerationsOf(spec) } }
}

/** Returns the tolerations of the template with those that every daemon has. */
function tolerationsOf(spec: JsonObject): readonly JsonObject[] {
  const ofNetwork = spec['hostNetwork'] === true ? ([['network-unavailable', 'NoSchedule']] as const) : []
  const added = [...tolerated, ...ofNetwork].map(([failure, effect]) => ({
    key: `node.kubernetes.io/${failure}`,
    operator: 'Exists',
    effect,
  }))
  const own = objects(spec, 'tolerations').filter(
    (one) => !added.some(({ key, effect }) => one['key'] === key && one['effect'] === effect && isExists(one)),
  )
  return [...own, ...added]
}

function isExists(toleration: JsonObject): boolean {
  return toleration['operator'] === 'Exists' && toleration['tolerationSeconds'] === undefined
}

/** Returns the node that the pod runs on or is meant for. */
export function targetNode(pod: StoredObject): string {
  if (nodeOf(pod) !== '') return nodeOf(pod)
  const terms = objects(pod, 'spec', 'affinity', 'nodeAffinity', required, 'nodeSelectorTerms')
  const [name] = terms.flatMap((term) => objects(term, 'matchFields')).flatMap(({ values }) => values)
  return String(name ?? '')
}

/** `runs`: a pod belongs on the node. `stays`: none starts there, but one that runs goes on. */
export type Admission = 'runs' | 'stays' | 'leaves'

export function admissionOf(set: DaemonSet, node: StoredObject): Admission {
  const { template } = set.spec
  const spec = { ...objectAt(template, 'spec'), tolerations: tolerationsOf(objectAt(template, 'spec')) }
  const pinned = text(spec, 'nodeName')
  if (pinned !== '' && pinned !== node.metadata.name) return 'leaves'
  if (!matchesSelector({ spec }, node)) return 'leaves'
  if (untoleratedTaint({ spec }, node) === undefined) return 'runs'
  return untoleratedTaint({ spec }, node, ['NoExecute']) === undefined ? 'stays' : 'leaves'
}

// The admission plugins of a plain cluster for new pods: limits, service account, priority, runtime class, tolerations.
import { keyOf, type StoredObject } from '../../../store/object.ts'
import type { Api } from '../../api.ts'
import { forbidden } from '../../errors.ts'
import { list, text } from '../../values/json.ts'
import type { Draft } from '../../verbs/draft.ts'
import { applyLimits } from '../limits.ts'
import { admitPriority, admitRuntime } from './class-admission.ts'
import { type PodSpec, specOf } from './pod-spec.ts'
import { addTokenVolume } from './token-volume.ts'

/** The seconds that a pod stays on a node that is not ready or unreachable. */
const tolerationSeconds = 300

const pods = { group: '', plural: 'pods', kind: 'Pod' }

/** Admits a pod. Throws a plugin's 403. */
export function admitPod(draft: Draft, api: Api): void {
  const spec = specOf(draft)
  const name = draft.metadata.name ?? ''
  const namespace = draft.metadata.namespace ?? ''
  applyLimits(draft, api)
  spec.serviceAccountName ??= spec.serviceAccount ?? 'default'
  spec.serviceAccount = spec.serviceAccountName
  const account = spec.serviceAccountName
  const found = api.store.get('serviceaccounts', keyOf(namespace, account))
  if (account !== 'default' && found === undefined) {
    const why = `error looking up service account ${namespace}/${account}: serviceaccount "${account}" not found`
    throw forbidden(pods, name, why)
  }
  addTokenVolume(spec, found, api.random)
  addPullSecrets(spec, found)
  admitPriority(spec, name, api)
  tolerateFailingNodes(spec)
  admitRuntime(spec, name, api)
}

/** A pod without pull secrets of its own gets those of its account. */
function addPullSecrets(spec: PodSpec, account: StoredObject | undefined): void {
  if ((spec.imagePullSecrets ?? []).length > 0) return
  const given = list(account, 'imagePullSecrets').map((one) => ({ name: text(one, 'name') }))
  if (given.length > 0) spec.imagePullSecrets = given
}

/** Adds the default tolerations. An update of the whole pod does so, too. */
export function tolerateFailingNodes(spec: PodSpec): void {
  const tolerations = spec.tolerations ?? []
  for (const key of ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable']) {
    const tolerated = tolerations.some(
      (toleration) =>
        (toleration.key === key || (toleration.key ?? '') === '') &&
        (toleration.effect === 'NoExecute' || (toleration.effect ?? '') === ''),
    )
    if (!tolerated) tolerations.push({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds })
  }
  spec.tolerations = tolerations
}

// Secrets with Dayfly's label whose pod is gone. The garbage collector removes them, unless their owner was cut off.
import { secrets } from '../../resources.ts'
import type { SweepFacts } from './gather.ts'
import type { Part, SweepStep } from './step.ts'

export function secretLeftovers({ secrets: read, pods }: SweepFacts): Part {
  if (!read.known) return { steps: [], untouched: [] }
  const uids = new Set(pods.map(({ metadata }) => metadata.uid))
  const names = new Set(pods.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`))
  const steps = read.value.flatMap((secret): SweepStep[] => {
    const { namespace = '', name, uid = '', resourceVersion = '' } = secret.metadata
    const owner = secret.metadata.ownerReferences?.find(({ kind }) => kind === 'Pod')
    const alive = owner ? uids.has(owner.uid) : names.has(`${namespace}/${name}`)
    if (alive || secret.metadata.deletionTimestamp !== undefined) return []
    const pod = owner ? { name: owner.name, uid: owner.uid } : { name, uid: '' }
    const target = { resource: secrets, namespace, name, uid, resourceVersion }
    return [{ does: 'delete-secret', target, pod, because: 'the pod of this runner is gone' }]
  })
  return { steps, untouched: [] }
}

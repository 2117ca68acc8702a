// Pods with Dayfly's label whose RunnerSet is gone. A pod whose runner may have a job goes only after the forge refused no deregistration.
import { anyAccountFlag } from '@dayfly/forges/open/account-flags'
import type { KubeObject } from '@dayfly/kubernetes/types'
import { annotations } from '@dayfly/runner-set/core/pod'
import { runnerContainer } from '@dayfly/runner-set/model/runner-names'
import type { PodObject } from '../../observe/pod-object.ts'
import { pods } from '../../resources.ts'
import type { SweepFacts } from './gather.ts'
import type { Owner, Part, SweepStep, Untouched } from './step.ts'

type Pod = PodObject & KubeObject

export function podLeftovers({ pods: all, sets, forge }: SweepFacts): Part {
  const living = new Set(sets.map(({ uid }) => uid))
  const steps: SweepStep[] = []
  const untouched: Untouched[] = []
  for (const pod of all) {
    const owner = ownerOf(pod)
    if (owner && living.has(owner.uid)) continue
    const { namespace = '', name } = pod.metadata
    const what = `Pod ${namespace}/${name}`
    const whose = owner ? `its RunnerSet ${owner.name} is gone` : 'it has no RunnerSet'
    if (pod.metadata.deletionTimestamp !== undefined) {
      untouched.push({ what, because: 'it is being deleted already' })
      continue
    }
    const target = {
      resource: pods,
      namespace,
      name,
      uid: pod.metadata.uid ?? '',
      resourceVersion: pod.metadata.resourceVersion ?? '',
    }
    if (isOver(pod)) {
      const because = `its runner has ended, and ${whose}`
      steps.push({ does: 'delete-pod', target, owner, deregisters: undefined, because })
      continue
    }
    const judged = judgeRunning(pod, forge)
    if (judged.id === undefined) untouched.push({ what, because: judged.because })
    else
      steps.push({
        does: 'delete-pod',
        target,
        owner,
        deregisters: judged.id,
        because: `the forge reports it idle, and ${whose}`,
      })
  }
  return { steps, untouched }
}

/** Returns whether the runner has ended: it never starts again. */
export function isOver({ status }: PodObject): boolean {
  if (status?.phase === 'Succeeded' || status?.phase === 'Failed') return true
  return (
    status?.containerStatuses?.some(
      ({ name, state }) => name === runnerContainer && state?.terminated !== undefined,
    ) === true
  )
}

type Verdict = { readonly id: string } | { readonly id: undefined; readonly because: string }

/** The forge must know exactly this registration, and as idle. It refuses to remove a busy one in the end. */
function judgeRunning({ metadata }: Pod, forge: SweepFacts['forge']): Verdict {
  const no = (because: string): Verdict => ({ id: undefined, because })
  if (!forge) return no(`its runner may have a job: its forge says with ${anyAccountFlag} whether it is idle`)
  if (!forge.known) return no('its runner may have a job, and the forge did not answer')
  const id = metadata.annotations?.[annotations.registrationId]
  const found = forge.value.registrations.find((one) => one.id === id && one.name === metadata.name)
  if (!found) return no('its runner may have a job, and this account does not know it')
  if (found.busy !== false) return no('its runner is busy, or the forge does not say that it is idle')
  return { id: found.id }
}

function ownerOf({ metadata }: KubeObject): Owner | undefined {
  const owner = metadata.ownerReferences?.find(({ kind }) => kind === 'RunnerSet')
  return owner && { name: owner.name, uid: owner.uid }
}

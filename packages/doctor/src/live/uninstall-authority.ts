// Finds out whether the doctor may do what ARC's controller should do: the controller is gone, or its credentials no longer exist.
import { textAt, valueAt } from '@dayfly/kit/read-json'
import type { ObjectFact } from '../facts.ts'
import { type Cluster, isTerminating } from './cluster.ts'
import { scaleSetController } from './controller.ts'
import type { Guard } from './step.ts'
import { nameOf } from './uninstall-members.ts'

/** The reason why ARC's controller cannot go on, for a plan, and its check before each step. */
export type Authority = { readonly proof: string; readonly guard: Guard }

export type Verdict =
  | { readonly is: 'refused'; readonly because: string }
  | {
      readonly is: 'allowed'
      /** Returns undefined for a set that ARC's controller can still finish. */
      readonly over: (set: string | undefined) => Authority | undefined
      /** Why the other sets are refused. */
      readonly otherwise: string
      /** The operator should try this before. */
      readonly advice: string
    }

export function authorityIn(cluster: Cluster): Verdict {
  const controller = scaleSetController(cluster)
  const otherwise = `ARC's controller exists and must do this itself: ${controller.because}`
  switch (controller.is) {
    case 'unknown':
      return { is: 'refused', because: `it is not known whether ARC's controller exists (${controller.because})` }
    case 'alive': {
      const sets = setsWithoutCredentials(cluster)
      const [first] = sets.values()
      if (!first) return { is: 'refused', because: `${otherwise}${unreadCredentials(cluster)}` }
      const over = (set: string | undefined) => (set === undefined ? undefined : sets.get(set))
      return { is: 'allowed', over, otherwise, advice: credentialsAdvice(first.guard) }
    }
    case 'gone':
    case 'scaled-to-zero': {
      const proof = `ARC's controller, which should do this, is gone: ${controller.because}`
      const advice = restoreAdvice(controller.is === 'scaled-to-zero' ? controller.deployment : undefined)
      return { is: 'allowed', over: () => ({ proof, guard: { is: 'controller-gone' } }), otherwise, advice }
    }
  }
}

type LostSecret = Extract<Guard, { readonly is: 'credentials-gone' }>

/** Returns the sets that are being deleted and whose Secret does not exist, by name. ARC deregisters runners first, and cannot. */
function setsWithoutCredentials(cluster: Cluster): ReadonlyMap<string, Authority & { readonly guard: LostSecret }> {
  const found = cluster.objects.flatMap((fact) => {
    const secret = secretOf(fact)
    if (!secret || cluster.unreadReason('Secret', secret.namespace) !== undefined) return []
    if (cluster.find({ kind: 'Secret', ...secret })) return []
    const proof = `ARC's controller cannot go on: its Secret ${secret.namespace}/${secret.name} does not exist`
    return [[nameOf(fact), { proof, guard: { is: 'credentials-gone' as const, secret } }] as const]
  })
  return new Map(found)
}

/** Returns the Secret that a set needs for its deletion. With a vault, the name means another place. */
function secretOf(fact: ObjectFact): LostSecret['secret'] | undefined {
  const { object, raw } = fact
  if (object.kind !== 'AutoscalingRunnerSet' || !isTerminating(fact)) return undefined
  if (valueAt(raw, 'spec', 'vaultConfig') !== undefined) return undefined
  const name = textAt(raw, 'spec', 'githubConfigSecret')
  return name === undefined || object.namespace === undefined ? undefined : { namespace: object.namespace, name }
}

function unreadCredentials(cluster: Cluster): string {
  const unread = cluster.unreadReason('Secret', undefined)
  const log = '; its log says why it does not finish'
  return unread === undefined ? log : `${log}; whether its credentials are gone is not known (${unread})`
}

function credentialsAdvice({ secret: { namespace, name } }: LostSecret): string {
  return `ARC's controller runs, but its Secret ${namespace}/${name} does not exist: create the Secret again, and ARC goes on. A namespace that is being deleted takes no Secret; then use --remove-finalizers, which removes the finalizers one by one`
}

function restoreAdvice(deployment: ObjectFact | undefined): string {
  return deployment
    ? `bring ARC's controller back and let it finish: kubectl -n ${deployment.object.namespace} scale deployment ${deployment.object.name} --replicas=1`
    : "bring ARC's controller back at the version that made these objects (helm install of gha-runner-scale-set-controller) and let it finish; only if that is impossible, use --remove-finalizers, which removes the finalizers one by one"
}

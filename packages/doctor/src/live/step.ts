// The parts of a plan: one small action a step, on one object at one version, with conditions that must still hold.
import type { Resource } from '@dayfly/kubernetes/types'

/** An object at one version. The API server refuses the action if the uid or the version has changed. */
export type Target = {
  readonly resource: Resource
  readonly namespace: string | undefined
  readonly name: string
  readonly uid: string
  readonly resourceVersion: string
  /** The hash of a Job without its status, which may change (unmoved.ts). The guards read the state again. */
  readonly unmoved?: string
}

export type Action =
  | {
      readonly do: 'delete'
      readonly target: Target
      /** 0 only for a pod whose node is proved gone. */
      readonly gracePeriodSeconds: 0 | undefined
    }
  /** Removes one finalizer, by its value at its index. */
  | { readonly do: 'remove-finalizer'; readonly target: Target; readonly finalizer: string }
  | { readonly do: 'deregister'; readonly registration: Registered }

/** A registration at the forge. */
export type Registered = { readonly id: string; readonly name: string }

/** A condition that is checked again right before the step. */
export type Guard =
  /** The target is not busy: the pod, all pods of the Job, or the pod and the status of the EphemeralRunner. */
  | { readonly is: 'not-busy'; readonly target: Target }
  /** No object with this name has this uid. */
  | { readonly is: 'absent'; readonly target: Omit<Target, 'resourceVersion'> }
  | { readonly is: 'node-gone'; readonly node: string }
  /** No pod and no EphemeralRunner has this name. */
  | { readonly is: 'no-runner'; readonly name: string }
  /** The forge still has this registration under this name, offline and idle. */
  | { readonly is: 'left-over'; readonly registration: Registered }
  /** No controller of ARC runs or is about to run. */
  | { readonly is: 'controller-gone' }
  /** The Secret with which ARC's controller would deregister the runners does not exist. */
  | { readonly is: 'credentials-gone'; readonly secret: { readonly namespace: string; readonly name: string } }
  /** The EphemeralRunner has no job, and the forge has its registration idle, or no longer has it. Its container may run. */
  | { readonly is: 'idle-at-forge'; readonly target: Target; readonly registered: boolean }
  /** No object of the kind has this name. */
  | { readonly is: 'unnamed'; readonly target: Omit<Target, 'resourceVersion' | 'uid'> }

/**
 * Why a step is right. `dead-hard`: the responsible controller is proved gone. `live`: seen in the object's own state.
 * Time alone never suffices, nor does an unread kind.
 */
export type Evidence = { readonly class: 'dead-hard' | 'live'; readonly says: string }

export type Step = {
  /** Counts from 1, in the order of the plan. */
  readonly id: number
  /** The slug of the rule. */
  readonly rule: string
  readonly action: Action
  readonly evidence: Evidence
  readonly guards: readonly Guard[]
  /** The steps that must succeed before this one. */
  readonly after: readonly number[]
}

/** A step without a number. It refers to other steps by their keys. */
export type Draft = Omit<Step, 'id' | 'after'> & { readonly after: readonly string[] }

/** Returns the key that identifies a step before it has a number. */
export function draftKey(action: Action): string {
  if (action.do === 'deregister') return `deregister ${action.registration.id}`
  const finalizer = action.do === 'remove-finalizer' ? ` ${action.finalizer}` : ''
  return `${action.do} ${action.target.uid}${finalizer}`
}

/** Returns a sentence for people. */
export function describe(action: Action): string {
  if (action.do === 'deregister') return `remove the registration ${action.registration.name} at the forge`
  const { resource, namespace, name } = action.target
  const object = `${resource.kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`
  if (action.do === 'remove-finalizer') return `remove the finalizer ${action.finalizer} of ${object}`
  return action.gracePeriodSeconds === 0 ? `delete ${object} without waiting for its node` : `delete ${object}`
}

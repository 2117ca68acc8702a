// What a plan is made of: one small action a step, on one object as it was seen, with what must still hold right before.
import type { Resource } from '../../kubernetes/types.ts'

/** One object as it was seen; the server refuses the action once either has changed. */
export type Target = {
  readonly resource: Resource
  readonly namespace: string | undefined
  readonly name: string
  readonly uid: string
  readonly resourceVersion: string
}

export type Action =
  | {
      readonly do: 'delete'
      readonly target: Target
      /** 0 only for a pod whose node is proved gone. */
      readonly gracePeriodSeconds: 0 | undefined
    }
  /** One finalizer, by its value at its index. */
  | { readonly do: 'remove-finalizer'; readonly target: Target; readonly finalizer: string }
  | { readonly do: 'deregister'; readonly registration: Registered }

/** A registration at the forge. */
export type Registered = { readonly id: string; readonly name: string }

/** What is looked at again, right before the step. */
export type Guard =
  /** Neither this pod, nor any pod of this Job, nor the pod and status of this ARC runner may be busy. */
  | { readonly is: 'not-busy'; readonly target: Target }
  /** No object of this name has this uid. */
  | { readonly is: 'absent'; readonly target: Omit<Target, 'resourceVersion'> }
  | { readonly is: 'node-gone'; readonly node: string }
  /** No pod, and no runner of ARC, has this name. */
  | { readonly is: 'no-runner'; readonly name: string }
  /** The forge still has this registration by this name, offline and idle. */
  | { readonly is: 'left-over'; readonly registration: Registered }
  /** No controller of ARC runs or is about to. */
  | { readonly is: 'controller-gone' }

/** Why a step is right. `dead-hard`: what would have done it is proved gone. `live`: seen in the object's own state. Time alone, and what could not be read, never suffice. */
export type Evidence = { readonly class: 'dead-hard' | 'live'; readonly says: string }

export type Step = {
  /** Counts from 1, in the order of the plan. */
  readonly id: number
  /** The rule that found it. */
  readonly rule: string
  readonly action: Action
  readonly evidence: Evidence
  readonly guards: readonly Guard[]
  /** The steps without whose success this one is not done. */
  readonly after: readonly number[]
}

/** A step before it has a number: it names others by the key of their target and action. */
export type Draft = Omit<Step, 'id' | 'after'> & { readonly after: readonly string[] }

/** Stands for a step before it has a number. */
export function draftKey(action: Action): string {
  if (action.do === 'deregister') return `deregister ${action.registration.id}`
  const finalizer = action.do === 'remove-finalizer' ? ` ${action.finalizer}` : ''
  return `${action.do} ${action.target.uid}${finalizer}`
}

/** A sentence for people. */
export function describe(action: Action): string {
  if (action.do === 'deregister') return `remove the registration ${action.registration.name} at the forge`
  const { resource, namespace, name } = action.target
  const object = `${resource.kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`
  if (action.do === 'remove-finalizer') return `remove the finalizer ${action.finalizer} of ${object}`
  return action.gracePeriodSeconds === 0 ? `delete ${object} without waiting for its node` : `delete ${object}`
}

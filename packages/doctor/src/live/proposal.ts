// The proposal of a repair for one finding: steps, a refusal with its reason, or advice for a person.
import type { ObjectRef } from '../finding.ts'
import type { Draft } from './step.ts'

/** The part of a finding that a repair needs. */
export type Found = { readonly rule: string; readonly object: ObjectRef }

/** A finding that the plan does not repair, and the reason. */
export type Refusal = {
  readonly rule: string
  readonly object: ObjectRef
  readonly because: string
}

/** The action that a person must take, with the commands where they are known. */
type Guidance = { readonly rule: string; readonly object: ObjectRef; readonly advice: string }

export type Proposal = {
  readonly drafts: readonly Draft[]
  readonly refused: readonly Refusal[]
  readonly guided: readonly Guidance[]
  /** Records at the forge that the cluster no longer knows after the repair. The steps may remove some of them. */
  readonly stays: readonly Remainder[]
}

/** A record at the forge. `state`: the forge's description of it; undefined: the forge was not asked, so the record may be gone. */
export type Remainder = {
  readonly what: 'registration' | 'set'
  readonly id: string
  readonly name: string
  /** The URL of its account, if the cluster names it. */
  readonly url: string | undefined
  readonly state: string | undefined
}

export const nothing: Proposal = { drafts: [], refused: [], guided: [], stays: [] }

export function refuse({ found }: { readonly found: Found }, because: string): Proposal {
  return { ...nothing, refused: [{ rule: found.rule, object: found.object, because }] }
}

export function guide({ found }: { readonly found: Found }, advice: string): Proposal {
  return { ...nothing, guided: [{ rule: found.rule, object: found.object, advice }] }
}

export function join(proposals: readonly Proposal[]): Proposal {
  return {
    drafts: proposals.flatMap(({ drafts }) => drafts),
    refused: proposals.flatMap(({ refused }) => refused),
    guided: proposals.flatMap(({ guided }) => guided),
    stays: proposals.flatMap(({ stays }) => stays),
  }
}

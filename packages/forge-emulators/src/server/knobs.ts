// The knobs of an emulated forge: the schemas that all forges share, and how a change is applied.
import * as z from 'zod'

// These bounds keep every wait within the range of a timer.
export const milliseconds = z.number().int().nonnegative().max(1_000_000_000)
export const seconds = z.number().int().nonnegative().max(500_000)

/** Some knobs with their new values. An undefined value changes nothing. */
export type ChangeOf<Knobs> = { readonly [Name in keyof Knobs]?: Knobs[Name] | undefined }

export function changeKnobs<Knobs extends object>(knobs: Knobs, change: ChangeOf<Knobs>): Knobs {
  const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined))
  return { ...knobs, ...given }
}

// The part of a set in a pool.
import * as z from 'zod'
import { objectName } from './field-schemas.ts'

export const pool = z
  .strictObject({
    name: objectName.describe('The name of the pool. Every set of this namespace that names it is a member.'),
    max: z
      .int32()
      .min(1)
      .describe('The maximum number of runners of all members together. The lowest of several numbers holds.'),
    floor: z
      .int32()
      .min(0)
      .optional()
      .describe('So many places of the pool are kept for this set, also while it has no job. Without it, min.'),
    weight: z
      .int32()
      .min(1)
      .max(1000)
      .default(1)
      .describe('The share of this set, beside the weights of the others, while the members need more than max.'),
  })
  .describe('The ceiling that this set shares with others of its namespace.')

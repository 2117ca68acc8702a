// The values that several fields of a RunnerSet's `spec` share.
import * as z from 'zod'

const durationWords = 'the duration must be whole numbers with units, for example 90s, 10m or 1h30m'

/** A duration is short enough for the API server to bound the cost of a rule on it, and for Go to hold it. */
export const duration = z
  .string({ error: ({ input }) => (typeof input === 'number' ? durationWords : undefined) })
  .max(32)
  .regex(/^([0-9]{1,5}(ms|s|m|h))+$/, durationWords)

/** Labels or annotations. YAML reads `true` without quotes as no text, and the API server would refuse each pod. */
export const texts = z.record(z.string(), z.string())

/** The name of another object in the set's namespace. */
export const objectName = z
  .string()
  .min(1)
  .max(253)
  .regex(
    /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/,
    'the name must be lower-case letters and digits, with "-" and "." only between them',
  )

/** A key in the data of a Secret or ConfigMap. */
export const dataKey = z
  .string()
  .min(1)
  .max(253)
  .regex(/^[-._a-zA-Z0-9]+$/, 'the key may only have letters, digits, "-", "_" and "."')

/** A quantity of bytes, as Kubernetes writes it. */
export const size = z
  .string()
  .max(32)
  .regex(/^[1-9][0-9]{0,14}(k|Ki|M|Mi|G|Gi|T|Ti)?$/, 'the size must be an amount of bytes, for example 500Mi or 20Gi')

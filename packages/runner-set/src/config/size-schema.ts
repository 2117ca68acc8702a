// The sizes of a RunnerSet: each becomes a RunnerSet of its own, under one ceiling.
import * as z from 'zod'
import { objectName, texts } from './field-schemas.ts'
import { scheduleWindow } from './schedule-schema.ts'

/** An amount of a resource, for example 500m or 2Gi. */
const amounts = z.record(
  z.string().min(1),
  z.union([z.int32(), z.string().min(1).max(64)], 'the amount must be like 2, 500m or 2Gi'),
)

const size = z.strictObject({
  name: z
    .string()
    .max(20)
    .regex(
      /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/,
      'the name must be lower-case letters and digits, with "-" only between them',
    )
    .describe('The name of the size.'),
  set: objectName
    .optional()
    .describe(
      'The name of its RunnerSet, which is its label for runs-on. Without it, the name of this set and of the size.',
    ),
  adopt: z
    .boolean()
    .default(false)
    .describe(
      'Takes a RunnerSet of that name over, with its runners and its records at the forge. Without it, such a set is left alone.',
    ),
  labels: z
    .array(z.string().min(1).max(128))
    .max(20)
    .meta({ 'x-kubernetes-list-type': 'set' })
    .optional()
    .describe(
      'Labels for runs-on, in addition to those of this set. A job that asks only for labels that sizes share goes to any of them.',
    ),
  resources: z
    .strictObject({
      requests: amounts.optional().describe('The requests of the runner container.'),
      limits: amounts.optional().describe('The limits of the runner container.'),
    })
    .optional()
    .describe('The resources of the runner container.'),
  template: z
    .looseObject({
      metadata: z
        .looseObject({ labels: texts.optional(), annotations: texts.optional() })
        .optional()
        .describe('Labels and annotations of the pods.'),
      spec: z.looseObject({}).optional().describe('The PodSpec.'),
    })
    .optional()
    .describe('A PodTemplateSpec that is merged over the template of this set.'),
  min: z.int32().min(0).default(0).describe('The number of idle runners of this size in addition to the demand.'),
  schedule: z
    .array(scheduleWindow)
    .min(1)
    .max(32)
    .optional()
    .describe('Windows of the week with a min of their own, as in scale.'),
  max: z
    .int32()
    .min(0)
    .optional()
    .describe('The maximum number of runners of this size. Without it, the maximum of this set.'),
  floor: z.int32().min(0).optional().describe('So many places are kept for this size. Without it, its min.'),
  weight: z
    .int32()
    .min(1)
    .max(1000)
    .default(1)
    .describe('The share of this size while the sizes need more than the maximum of this set.'),
})

export const sizes = z
  .array(size)
  .min(1)
  .max(16)
  .meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] })
  .describe(
    'Each size becomes a RunnerSet of its own. They share the credential of this set, and scale.max as their ceiling.',
  )

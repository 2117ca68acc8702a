// The messages of the runner protocol as JSON: 64-bit integers are texts in responses and accepted as numbers in requests, and unknown members are ignored.
import { z } from 'zod'

/** Values that a message lacks have their defaults. */
const integer = z
  .union([z.string().regex(/^-?\d{1,15}$/), z.number().int()])
  .nullish()
  .transform((value) => Number(value ?? 0))
const text = z
  .string()
  .nullish()
  .transform((value) => value ?? '')
const flag = z
  .boolean()
  .nullish()
  .transform((value) => value ?? false)
const texts = z
  .array(z.string())
  .nullish()
  .transform((value) => value ?? [])

/** Milliseconds since the epoch, in whole seconds; 0 for a time that is missing. */
const time = z
  .string()
  .refine((value) => !Number.isNaN(Date.parse(value)))
  .nullish()
  .transform((value) => (value ? Math.floor(Date.parse(value) / 1_000) * 1_000 : 0))

const results = [
  'RESULT_UNSPECIFIED',
  'RESULT_SUCCESS',
  'RESULT_FAILURE',
  'RESULT_CANCELLED',
  'RESULT_SKIPPED',
] as const

/** The result of a task or a step: a name, or its number. Undefined while it goes on. */
const result = z
  .union([z.enum(results), z.number().int().min(0).max(4)])
  .nullish()
  .transform((value) => {
    const name = typeof value === 'number' ? results[value] : value
    return resultNames[name ?? 'RESULT_UNSPECIFIED']
  })

const resultNames = {
  RESULT_UNSPECIFIED: undefined,
  RESULT_SUCCESS: 'success',
  RESULT_FAILURE: 'failure',
  RESULT_CANCELLED: 'cancelled',
  RESULT_SKIPPED: 'skipped',
} as const

/** Returns the name of a result in the protocol. */
export function resultName(of: 'success' | 'failure' | 'cancelled' | 'skipped'): (typeof results)[number] {
  return `RESULT_${of.toUpperCase() as Uppercase<typeof of>}`
}

export const registerSchema = z.object({ name: text, token: text, labels: texts, version: text, ephemeral: flag })

export const declareSchema = z.object({ version: text, labels: texts })

export const fetchSchema = z.object({ tasksVersion: integer })

const stepSchema = z.object({ id: integer, result, startedAt: time, stoppedAt: time })

export const taskStateSchema = z.object({
  state: z.object({
    id: integer,
    result,
    startedAt: time,
    stoppedAt: time,
    steps: z
      .array(stepSchema)
      .nullish()
      .transform((value) => value ?? []),
  }),
  outputs: z
    .record(z.string(), z.string())
    .nullish()
    .transform((value) => value ?? {}),
})

const rowSchema = z.object({
  time: z
    .string()
    .nullish()
    .transform((value) => value ?? '1970-01-01T00:00:00Z'),
  content: text,
})

export const logSchema = z.object({
  taskId: integer,
  index: integer,
  rows: z
    .array(rowSchema)
    .nullish()
    .transform((value) => value ?? []),
  noMore: flag,
})

/** Returns the message without the members that have their default value, as protobuf writes JSON. */
export function messageOf(members: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const isDefault = (value: unknown) =>
    value === undefined || value === '' || value === '0' || value === false || (Array.isArray(value) && !value.length)
  return Object.fromEntries(Object.entries(members).filter(([, value]) => !isDefault(value)))
}

// The messages of the runner protocol as JSON: 64-bit integers are texts in responses and accepted as numbers in requests, and unknown members are ignored.
import * as z from 'zod'
import type { Result } from './state.ts'

/** A member that the message may lack. It then has its default value. */
function optional<Member>(schema: z.ZodType<Member>, value: NoInfer<Member>) {
  return schema.nullish().transform((given) => given ?? value)
}

const integer = optional(z.union([z.string().regex(/^-?\d{1,15}$/), z.number().int()]), 0).transform(Number)
const text = optional(z.string(), '')
const flag = optional(z.boolean(), false)
const texts = optional(z.array(z.string()), [])

const timeText = optional(
  z.string().refine((value) => !Number.isNaN(Date.parse(value))),
  '1970-01-01T00:00:00Z',
)

/** Milliseconds since the epoch, in whole seconds; 0 for a time that is missing. */
const time = timeText.transform((value) => Math.floor(Date.parse(value) / 1_000) * 1_000)

/** The results in the order of their numbers. */
const results = ['unspecified', 'success', 'failure', 'cancelled', 'skipped'] as const

/** The result of a task or a step, by its name or its number. Undefined while it goes on. */
const result = optional(
  z.union([z.enum(results.map((each) => `RESULT_${each.toUpperCase()}`)), z.number().int().min(0).max(4)]),
  0,
).transform((value) => {
  const name = results.find((each, number) => number === value || resultName(each) === value)
  return name === 'unspecified' ? undefined : name
})

/** Returns the name of a result in the protocol. */
export function resultName(of: Result | 'cancelling' | 'unspecified'): string {
  return `RESULT_${(of === 'cancelling' ? 'cancelled' : of).toUpperCase()}`
}

/** The abilities of a runner. `cancelling` is the only known word. */
const capabilities = texts

export const registerSchema = z.object({
  ...{ name: text, token: text, labels: texts, version: text, ephemeral: flag },
  capabilities,
})

export const declareSchema = z.object({ version: text, labels: texts, capabilities })

export const fetchSchema = z.object({ tasksVersion: integer })

const stepSchema = z.object({ id: integer, result, startedAt: time, stoppedAt: time })

const stateSchema = z.object({ id: integer, result, stoppedAt: time, steps: optional(z.array(stepSchema), []) })

export type TaskState = z.output<typeof stateSchema>

export const taskStateSchema = z.object({
  state: z.preprocess((given) => given ?? {}, stateSchema),
  outputs: optional(z.record(z.string(), z.string()), {}),
})

const rowSchema = z.object({ time: timeText, content: text })

export const logSchema = z.object({
  taskId: integer,
  index: integer,
  rows: optional(z.array(rowSchema), []),
  noMore: flag,
})

/** Returns the message without the members that have their default value, as protobuf writes JSON. */
export function messageOf(members: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const isDefault = (value: unknown) =>
    value === undefined || value === '' || value === '0' || value === false || (Array.isArray(value) && !value.length)
  return Object.fromEntries(Object.entries(members).filter(([, value]) => !isDefault(value)))
}

// A RunnerSet as an operator's command sees it. Everything that cannot be read is undefined: unknown is never zero.
import type { Instant } from '@dayfly/kit/clock'
import type { KubeObject } from '@dayfly/kubernetes/types'
import { parseRunnerSet } from '@dayfly/runner-set/config/runner-set'
import type { Failure, FailureReason } from '@dayfly/runner-set/model/failure'
import { failures } from '@dayfly/runner-set/model/failure-table'
import type { PoolPart } from '@dayfly/runner-set/model/pool'
import type { RunnerSet } from '@dayfly/runner-set/model/runner-set'
import { problemKinds } from '@dayfly/runner-set/model/status'
import * as z from 'zod'
import { runnerSets } from '../resources.ts'
import { type Cluster, getOne, listAll } from './read.ts'

const count = z.int().min(0).optional().catch(undefined)
const text = z.string().min(1).optional().catch(undefined)

const conditionSchema = z.object({
  type: z.string(),
  status: z.enum(['True', 'False', 'Unknown']),
  reason: z.string().catch(''),
  message: z.string().catch(''),
  observedGeneration: count,
  lastTransitionTime: text,
})

/** A reason that this version does not know is left to the conditions. */
const problemSchema = z.object({
  kind: z.enum(problemKinds),
  reason: z
    .string()
    .transform(knownReason)
    .pipe(z.custom<FailureReason>((reason) => reason !== undefined)),
  detail: z.string(),
})

const jobSchema = z.object({
  id: z.string(),
  name: z.string(),
  repository: z.string(),
  runner: z.string(),
  startedAt: z.string(),
  result: text,
  finishedAt: text,
})

const unservedSchema = z.object({
  id: z.string(),
  name: z.string(),
  repository: z.string(),
  labels: z.array(z.string()),
})

const versionSchema = z.object({
  version: z.string(),
  from: z.enum(['runner', 'image']),
  image: z.string(),
  scheduled: z.boolean().catch(false),
  runtimeEndsAt: z.string().nullable().catch(null),
  registrationEndsAt: z.string().nullable().catch(null),
  minimum: z.string().nullable().catch(null),
})

/** Drops entries of a list that cannot be read. */
function listOf<Schema extends z.ZodType>(schema: Schema) {
  return z
    .array(z.unknown())
    .catch([])
    .transform((items) => items.flatMap((item) => schema.safeParse(item).data ?? []))
}

const statusSchema = z.object({
  observedGeneration: count,
  demand: count,
  idle: count,
  busy: count,
  pending: count,
  failed: count,
  lateJobs: count,
  pollSeconds: count,
  min: count,
  minReason: text,
  demandDays: z.unknown().optional(),
  announced: count,
  announcedReason: text,
  announcedDetail: text,
  runnerVersion: versionSchema.optional().catch(undefined),
  lastReason: text,
  lastMessage: text,
  forge: z.record(z.string(), z.string()).catch({}),
  conditions: listOf(conditionSchema),
  problems: listOf(problemSchema),
  jobs: listOf(jobSchema),
  rerun: z
    .object({ pending: listOf(z.object({ runner: z.string(), job: z.string(), detail: z.string() })) })
    .optional()
    .catch(undefined),
  unserved: z
    .object({ count: z.int().min(0), jobs: listOf(unservedSchema) })
    .optional()
    .catch(undefined),
  usage: z.unknown().optional(),
})

export type VersionView = z.infer<typeof versionSchema>
export type ConditionView = z.infer<typeof conditionSchema>
export type ProblemView = z.infer<typeof problemSchema>
export type JobView = z.infer<typeof jobSchema>

export type SetView = z.infer<typeof statusSchema> & {
  readonly namespace: string
  readonly name: string
  readonly uid: string
  readonly generation: number
  readonly deleting: boolean
  readonly max: number | undefined
  readonly paused: boolean
  /** The set as the controller reads it; undefined if its spec is not valid. */
  readonly set: RunnerSet | undefined
  readonly specErrors: readonly string[]
  /** The pool of a set whose spec is not valid; undefined if it has none. */
  readonly unreadPool: PoolPart | undefined
  /** The last write of the status that the API server recorded. */
  readonly statusAt: Instant | undefined
}

export async function readSets(cluster: Cluster, namespace: string | undefined): Promise<readonly SetView[]> {
  const views = (await listAll(cluster, runnerSets, { namespace })).map(viewSet)
  return views.sort((left, right) => compare(left.namespace, right.namespace) || compare(left.name, right.name))
}

/** Returns undefined if there is no such set. */
export async function readSet(
  cluster: Cluster,
  at: { readonly namespace: string; readonly name: string },
): Promise<SetView | undefined> {
  const object = await getOne(cluster, runnerSets, at)
  return object && viewSet(object)
}

export function viewSet(object: KubeObject): SetView {
  const { metadata } = object
  const parsed = parseRunnerSet(object)
  const spec = (object['spec'] ?? {}) as { readonly scale?: { readonly max?: unknown }; readonly paused?: unknown }
  const max = spec.scale?.max
  return {
    ...statusSchema.parse(object['status'] && typeof object['status'] === 'object' ? object['status'] : {}),
    namespace: metadata.namespace ?? '',
    name: metadata.name,
    uid: metadata.uid ?? '',
    generation: metadata.generation ?? 1,
    deleting: metadata.deletionTimestamp !== undefined,
    max: typeof max === 'number' ? max : undefined,
    paused: spec.paused === true,
    set: parsed.ok ? parsed.set : undefined,
    specErrors: parsed.ok ? [] : parsed.problems.map(({ path, sentence }) => `${path}: ${sentence}`),
    unreadPool: parsed.ok ? undefined : parsed.pool,
    statusAt: statusWrittenAt(metadata),
  }
}

/** Returns the view of a set that was read, and of the status that its controller wrote last. */
export function viewOfStatus(set: RunnerSet, status: object | undefined, statusAt: Instant | undefined): SetView {
  const { namespace, name, uid, generation, paused, scale } = set
  return {
    ...statusSchema.parse(status ?? {}),
    ...{ namespace, name, uid, generation, paused, set, statusAt },
    deleting: false,
    max: scale.max,
    specErrors: [],
    unreadPool: undefined,
  }
}

/** Returns the reason if this version knows it. */
export function knownReason(text: string | undefined): FailureReason | undefined {
  return text !== undefined && Object.hasOwn(failures, text) ? (text as FailureReason) : undefined
}

export function problemOf({ problems }: SetView, kind: ProblemView['kind']): Failure | undefined {
  const found = problems.find((problem) => problem.kind === kind)
  return found && { reason: found.reason, message: found.detail }
}

export function conditionOf({ conditions }: SetView, type: string): ConditionView | undefined {
  return conditions.find((condition) => condition.type === type)
}

function statusWrittenAt(metadata: object): Instant | undefined {
  const fields = (metadata as { readonly managedFields?: unknown }).managedFields
  if (!Array.isArray(fields)) return undefined
  const times = fields.flatMap((entry: { readonly subresource?: unknown; readonly time?: unknown } | null) =>
    entry?.subresource === 'status' ? Date.parse(String(entry.time)) : [],
  )
  const known = times.filter((time) => !Number.isNaN(time))
  return known.length === 0 ? undefined : Math.max(...known)
}

function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0
}

// The RunnerSet document: one schema for what users write, for the CustomResourceDefinition and for what the controller reads.
import { z } from 'zod'
import type { RunnerSet } from '../model/runner-set.ts'

export const runnerSetGroup = 'dayfly.dev'
export const runnerSetVersion = 'v1alpha1'

const duration = z
  .string()
  .regex(/^([0-9]+(ms|s|m|h))+$/)
  .describe('A duration such as 30s, 10m or 1h30m.')

const dnsName = z
  .string()
  .min(1)
  .max(63)
  .regex(/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/)

/** The values of optional fields that a document does not set, by path below `spec`. */
export const runnerSetDefaults = { 'scale.min': 0, keepFinished: '0s', keepFailed: '10m' } as const

const githubSchema = z
  .strictObject({
    url: z
      .string()
      .min(1)
      .max(512)
      .describe('The repository, organization or enterprise, for example https://github.com/acme.'),
    credentials: z
      .strictObject({ secret: dnsName.describe('The Secret in this namespace with the key github_token.') })
      .describe('How to sign in at GitHub.'),
    runnerGroup: z
      .string()
      .min(1)
      .max(128)
      .optional()
      .describe('The runner group; GitHub’s default group unless given.'),
    labels: z
      .array(z.string().min(1).max(128))
      .max(20)
      .optional()
      .describe('Further labels by which jobs ask for these runners; the name of the set is always one.'),
  })
  .describe('Runners for GitHub Actions.')

export const runnerSetSpecSchema = z
  .strictObject({
    github: githubSchema,
    scale: z
      .strictObject({
        min: z.int32().min(0).optional().describe('Idle runners on top of demand; 0 unless given.'),
        max: z.int32().min(0).describe('The most runners that live at once; 0 pauses the set.'),
      })
      .describe('How many runners.'),
    keepFinished: duration.optional().describe('How long the pod of a finished runner is kept; 0s unless given.'),
    keepFailed: duration
      .optional()
      .describe('How long the pod of a failed runner is kept for debugging; 10m unless given.'),
    lifeMax: duration.optional().describe('Ends a runner that lives longer, busy or not.'),
    template: z
      .looseObject({ metadata: z.looseObject({}).optional(), spec: z.looseObject({}).optional() })
      .optional()
      .describe('A PodTemplateSpec, merged over the default; the container named runner is the runner.'),
  })
  .describe('The configured kind of runner.')

export type RunnerSetProblem = { readonly path: string; readonly sentence: string }

export type ParsedRunnerSet =
  | { readonly ok: true; readonly set: RunnerSet }
  | { readonly ok: false; readonly problems: readonly RunnerSetProblem[] }

/** Reads a RunnerSet object as it comes from the API server or a file. */
export function parseRunnerSet(object: {
  readonly metadata: {
    readonly name: string
    readonly namespace?: string
    readonly uid?: string
    readonly generation?: number
  }
  readonly spec?: unknown
}): ParsedRunnerSet {
  const parsed = runnerSetSpecSchema.safeParse(object.spec)
  if (!parsed.success) {
    const problems = parsed.error.issues.map((issue) => ({
      path: ['spec', ...issue.path].join('.'),
      sentence: issue.message,
    }))
    return { ok: false, problems }
  }
  const spec = parsed.data
  const min = spec.scale.min ?? runnerSetDefaults['scale.min']
  if (min > spec.scale.max) {
    const sentence = `min (${min}) is above max (${spec.scale.max}); lower min or raise max`
    return { ok: false, problems: [{ path: 'spec.scale.min', sentence }] }
  }
  const { name, namespace = 'default', uid = '', generation = 1 } = object.metadata
  const template = (spec.template ?? {}) as RunnerSet['template']
  return {
    ok: true,
    set: {
      name,
      namespace,
      uid,
      generation,
      source: {
        kind: 'github',
        url: spec.github.url,
        credentialsSecret: spec.github.credentials.secret,
        runnerGroup: spec.github.runnerGroup,
        labels: [name, ...(spec.github.labels ?? []).filter((label) => label !== name)],
      },
      scale: { min, max: spec.scale.max },
      keepFinishedMs: milliseconds(spec.keepFinished ?? runnerSetDefaults.keepFinished),
      keepFailedMs: milliseconds(spec.keepFailed ?? runnerSetDefaults.keepFailed),
      lifeMaxMs: spec.lifeMax === undefined ? undefined : milliseconds(spec.lifeMax),
      template,
    },
  }
}

const units: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 }

/** Milliseconds of a duration that has passed the schema. */
function milliseconds(text: string): number {
  let sum = 0
  for (const [, amount, unit] of text.matchAll(/([0-9]+)(ms|s|m|h)/g)) sum += Number(amount) * (units[unit ?? ''] ?? 0)
  return sum
}

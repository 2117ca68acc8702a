// The RunnerSet document. One schema describes what operators write, the CustomResourceDefinition, and what the controller reads.
import { z } from 'zod'
import type { RunnerSet } from '../model/runner-set.ts'

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
      .describe('The URL of the repository, organization or enterprise, for example https://github.com/acme.'),
    credentials: z
      .strictObject({ secret: dnsName.describe('The Secret in this namespace with the key github_token.') })
      .describe('The credentials for GitHub.'),
    runnerGroup: z
      .string()
      .min(1)
      .max(128)
      .optional()
      .describe('The runner group. The default is the default group of GitHub.'),
    labels: z
      .array(z.string().min(1).max(128))
      .max(20)
      .optional()
      .describe('Labels for runs-on, in addition to the name of the set.'),
  })
  .describe('Runners for GitHub Actions.')

export const runnerSetSpecSchema = z
  .strictObject({
    github: githubSchema,
    scale: z
      .strictObject({
        min: z
          .int32()
          .min(0)
          .optional()
          .describe('The number of idle runners in addition to the demand. The default is 0.'),
        max: z.int32().min(0).describe('The maximum number of runners at the same time. 0 pauses the set.'),
      })
      .describe('The limits on the number of runners.'),
    keepFinished: duration.optional().describe('How long to keep the pod of a finished runner. The default is 0s.'),
    keepFailed: duration
      .optional()
      .describe('How long to keep the pod of a failed runner for debugging. The default is 10m.'),
    lifeMax: duration.optional().describe('The maximum age of a runner. An older runner is ended, even if it is busy.'),
    template: z
      .looseObject({ metadata: z.looseObject({}).optional(), spec: z.looseObject({}).optional() })
      .optional()
      .describe(
        'A PodTemplateSpec that is merged over the default template. The container named runner is the runner.',
      ),
  })
  .describe('The configuration of the runner set.')

type RunnerSetProblem = { readonly path: string; readonly sentence: string }

export type ParsedRunnerSet =
  | { readonly ok: true; readonly set: RunnerSet }
  | { readonly ok: false; readonly problems: readonly RunnerSetProblem[] }

/** Parses a RunnerSet object from the API server or a file. */
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
    const sentence = `min (${min}) is above max (${spec.scale.max}): lower min or raise max`
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

/** Converts a duration that matches the schema to milliseconds. */
function milliseconds(text: string): number {
  let sum = 0
  for (const [, amount, unit] of text.matchAll(/([0-9]+)(ms|s|m|h)/g)) sum += Number(amount) * (units[unit ?? ''] ?? 0)
  return sum
}

// The published shape of the JSON report. Fields may be added, never changed or removed. The build writes doctor.schema.json from it.
import * as z from 'zod'

const position = z.int().min(1)

const finding = z.strictObject({
  rule: z.string().describe('The slug of the rule: "dayfly doctor explain <rule>" shows its page.'),
  code: z.string().regex(/^[A-Z]{3}\d{3}$/),
  severity: z.enum(['error', 'warning', 'info']),
  confidence: z.enum(['high', 'medium', 'low']),
  file: z.string().nullable().describe('Null for an object of a live cluster.'),
  line: position.nullable().describe('Counts from 1.'),
  column: position.nullable().describe('Counts from 1, in UTF-16 code units.'),
  endLine: position.nullable(),
  endColumn: position.nullable().describe('The first column after the place.'),
  object: z.strictObject({
    apiVersion: z.string(),
    kind: z.string(),
    namespace: z.string().nullable(),
    name: z.string(),
    uid: z.string().nullable().describe('Live objects only.'),
  }),
  container: z.string().nullable(),
  message: z.string(),
  page: z.url().describe('The page of the rule. "dayfly doctor explain <rule>" shows it without a network.'),
  related: z.array(z.strictObject({ file: z.string(), line: position, column: position, message: z.string() })),
  fix: z
    .strictObject({
      safety: z
        .enum(['safe', 'unsafe'])
        .describe('Safe: no working workload stops working. "--fix" makes the safe fixes, "--fix=unsafe" all.'),
      safeFrom: z
        .string()
        .nullable()
        .describe('The Kubernetes version from which an unsafe fix is safe, if that version is declared.'),
      title: z.string(),
      diff: z
        .string()
        .nullable()
        .describe(
          'A unified diff of this fix alone. Null if it is refused, or was not tried: for silenced findings, for live ones, and for the last ones of a very large input.',
        ),
      refused: z.string().nullable().describe('Why the file would not be changed.'),
    })
    .optional(),
})

export const jsonReport = z.strictObject({
  findings: z.array(finding),
  suppressed: z.array(finding.extend({ reason: z.string() })).describe('Silenced by a comment in the file.'),
  unusedSuppressions: z.array(
    z.strictObject({ file: z.string(), line: position, rule: z.string(), reason: z.string() }),
  ),
  coverage: z.strictObject({
    files: z.strictObject({ seen: z.int().min(0), decoded: z.int().min(0) }),
    objects: z.int().min(0),
    pods: z.int().min(0),
    skipped: z
      .array(z.strictObject({ file: z.string(), line: position.nullable(), reason: z.string() }))
      .describe('The parts that were not examined, and the reasons.'),
    leftOut: z
      .array(z.strictObject({ file: z.string(), line: position.nullable(), reason: z.string() }))
      .describe('The parts that were left out on purpose, and the reasons.'),
    charts: z
      .array(z.strictObject({ file: z.string(), range: z.string(), versions: z.array(z.string()) }))
      .describe('Charts whose kubeVersion applies to their files, because no version was declared.'),
    skippedRules: z
      .array(z.strictObject({ rule: z.string(), code: z.string(), reason: z.string() }))
      .describe('Rules that could not run. They do not count as passed.'),
    known: z.int().min(0).describe('Findings that the baseline holds.'),
    below: z.int().min(0).describe('Findings below --min-severity or --min-confidence.'),
    unwanted: z.int().min(0).describe('Findings of rules that the configuration, --select or --ignore leaves out.'),
  }),
  kubernetes: z.strictObject({
    versions: z.array(z.string().regex(/^1\.\d+$/)),
    declared: z.boolean(),
    from: z.string(),
  }),
  version: z.string().describe('The version of Dayfly.'),
})

export type JsonReport = z.infer<typeof jsonReport>
export type JsonFinding = z.infer<typeof finding>

/** Returns the shape as a JSON Schema. */
export function jsonSchema(): object {
  return { title: 'The report of dayfly doctor', ...z.toJSONSchema(jsonReport) }
}

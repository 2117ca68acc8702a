// The shape of `.dayfly-doctor.yaml`. The build writes doctor-configuration.schema.json from it.
import * as z from 'zod'
import { severities } from '../finding.ts'
import { globPattern } from '../read/files/glob.ts'
import { oldestMinor, supportedMinors } from '../version-fact.ts'

/** `names`: the codes, slugs and families of the rules. */
export function configurationShape(names: readonly string[]) {
  const rules = z.array(z.enum(names)).describe('Codes (POD101), slugs (dind-ordinary-container) or families (POD).')
  const level = z.enum(severities)
  const severity = z.partialRecord(z.enum(names), level)
  const paths = z.array(glob()).min(1, 'must name at least one path')
  return z.strictObject({
    select: rules.min(1, 'must name at least one rule').optional().meta({ description: 'Report only these rules.' }),
    ignore: rules.optional().meta({ description: 'Never report these rules, even if "select" names them.' }),
    severity: severity.optional().describe('The severity of a rule or family. A rule wins over its family.'),
    exclude: z.array(glob()).optional().describe('Do not read these files and folders.'),
    failOn: level.optional().describe('The least severity that fails a run. Default: warning.'),
    baseline: z.string().min(1, 'must name a file').optional().describe('A file of "dayfly doctor baseline write".'),
    overrides: z
      .array(z.strictObject({ paths, ignore: rules.optional(), severity: severity.optional() }))
      .optional()
      .describe('Further rules for some files. The last override that fits wins.'),
    clusters: z
      .array(z.strictObject({ name: z.string().min(1, 'must not be empty'), paths, kubernetesVersion: version() }))
      .refine((all) => new Set(all.map(({ name }) => name)).size === all.length, 'must give each cluster its own name')
      .optional()
      .describe('Folders that go to different clusters.'),
  })
}

export type ConfigurationShape = z.infer<ReturnType<typeof configurationShape>>

/** Returns the shape as a JSON Schema. */
export function configurationJsonSchema(names: readonly string[]): object {
  return { title: 'The configuration of dayfly doctor', ...z.toJSONSchema(configurationShape(names)) }
}

function glob() {
  return z
    .string()
    .min(1, 'must not be empty')
    .refine((text) => !/^\/|^[a-z]:|(?:^|\/)\.\.(?:\/|$)/i.test(text), 'must be below the folder of this file')
    .refine((text) => globPattern(text) !== undefined, 'is not a valid glob')
    .describe('A path or glob below the folder of this file. The path of a folder includes everything in it.')
}

function version() {
  const last = supportedMinors.at(-1) ?? oldestMinor
  const isKnown = (text: string) => {
    const minor = Number(/^1\.(\d{1,2})$/.exec(text)?.[1])
    return minor >= oldestMinor && minor <= last
  }
  return z
    .string('must be in quotes, such as "1.30": without them, YAML reads the number 1.3')
    .refine(isKnown, `must be between "1.${oldestMinor}" and "1.${last}"`)
    .optional()
    .describe('The minor version of the cluster, such as "1.33".')
}

// Makes the page that describes each field of a RunnerSet, from the schema that the controller parses with.
import { stringify } from 'yaml'
import { z } from 'zod'
import { runnerSetDefaults, runnerSetGroup, runnerSetSpecSchema, runnerSetVersion } from '../src/config/runner-set.ts'

type Field = {
  readonly type?: string
  readonly description?: string
  readonly properties?: Readonly<Record<string, Field>>
  readonly required?: readonly string[]
  readonly additionalProperties?: unknown
  readonly items?: Field
  readonly pattern?: string
  readonly minimum?: number
  readonly maxLength?: number
  readonly maxItems?: number
}

type Row = { readonly path: string; readonly field: Field; readonly required: boolean }

/** A document that sets every field. The page shows it, and each row shows its field's value. */
export const runnerSetExample = {
  apiVersion: `${runnerSetGroup}/${runnerSetVersion}`,
  kind: 'RunnerSet',
  metadata: { name: 'linux', namespace: 'ci' },
  spec: {
    github: {
      url: 'https://github.com/acme',
      credentials: { secret: 'github-token' },
      runnerGroup: 'Default',
      labels: ['linux-x64'],
    },
    scale: { min: 1, max: 20 },
    keepFinished: '0s',
    keepFailed: '10m',
    lifeMax: '6h',
    template: {
      metadata: { labels: { team: 'platform' } },
      spec: { containers: [{ name: 'runner', resources: { requests: { cpu: '1', memory: '2Gi' } } }] },
    },
  },
}

export function runnerSetPage(): string {
  const schema = z.toJSONSchema(runnerSetSpecSchema, { target: 'openapi-3.0', io: 'input' }) as Field
  const rows = rowsOf(schema, '').map(({ path, field, required }) => {
    const example = exampleAt(path)
    const cells = [`\`${path}\``, typeOf(field), defaultOf(path, required), field.description ?? '', example]
    return `| ${cells.join(' | ')} |`
  })
  return `<!-- Made by scripts/generate-runner-set.ts; edit src/config/runner-set.ts. -->
# RunnerSet

A RunnerSet is a kind of runner. It has a forge, a range of counts, and a pod template. It is a namespaced custom resource.

\`\`\`yaml
${stringify(runnerSetExample).trim()}
\`\`\`

## Fields of \`spec\`

| Field | Type | Default | Meaning | Example |
|---|---|---|---|---|
${rows.join('\n')}

A duration is a number with \`ms\`, \`s\`, \`m\` or \`h\`, or several of them: \`1h30m\`.
A field that this table does not list is an error, except inside \`template\`.
\`scale.min\` may not be above \`scale.max\`.

## The pod template

Dayfly merges \`template\` over its default pod. It merges lists of named items by name, and replaces other lists.
The container \`runner\` is the runner. Its default image is \`ghcr.io/actions/actions-runner:latest\`.
The pod has no ServiceAccount token and no injected service variables, unless the template sets them. Its restart policy is always \`Never\`.
The runner reads its credential from a file in \`/run/dayfly\`.
Dayfly rejects a template without the container \`runner\`, or one with a known cause of pods that hang. The set's conditions show the reason.
`
}

/** Returns a row for each field; an object that is open has one row and no fields. */
function rowsOf(field: Field, path: string): Row[] {
  return Object.entries(field.properties ?? {}).flatMap(([name, child]) => {
    const at = path === '' ? name : `${path}.${name}`
    const row = { path: at, field: child, required: field.required?.includes(name) === true }
    return isOpen(child) ? [row] : [row, ...rowsOf(child, at)]
  })
}

function isOpen({ additionalProperties }: Field): boolean {
  return additionalProperties !== undefined && additionalProperties !== false
}

function typeOf(field: Field): string {
  if (field.type === 'array') return `list of ${field.items?.type}s, at most ${field.maxItems}`
  if (field.type === 'integer') return `integer, ${field.minimum} or more`
  if (field.type === 'object') return isOpen(field) ? 'PodTemplateSpec' : 'object'
  if (field.maxLength === undefined) return 'duration'
  return field.pattern ? `name, at most ${field.maxLength} characters` : `text, at most ${field.maxLength} characters`
}

function defaultOf(path: string, required: boolean): string {
  if (required) return 'required'
  const value = (runnerSetDefaults as Readonly<Record<string, unknown>>)[path]
  return value === undefined ? 'none' : `\`${value}\``
}

/** Returns the example's value as code; an object's fields show theirs. */
function exampleAt(path: string): string {
  let value: unknown = runnerSetExample.spec
  for (const name of path.split('.')) value = (value as Readonly<Record<string, unknown>>)[name]
  if (Array.isArray(value)) return `\`${JSON.stringify(value)}\``
  return typeof value === 'object' ? '' : `\`${value}\``
}

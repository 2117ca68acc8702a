// Makes the page that describes each field of a RunnerSet, from the schema that the controller parses with.
import { relations } from '@dayfly/runner-set/config/relations'
import { nameLengthMax, runnerSetSpecSchema } from '@dayfly/runner-set/config/spec-schema'
import { runnerSetApiVersion } from '@dayfly/runner-set/model/api'
import { stringify } from 'yaml'
import * as z from 'zod'

type Field = {
  readonly type?: string
  readonly description?: string
  readonly properties?: Readonly<Record<string, Field>>
  readonly required?: readonly string[]
  readonly additionalProperties?: unknown
  readonly items?: Field
  readonly default?: unknown
  readonly enum?: readonly string[]
  readonly pattern?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly maxLength?: number
  readonly maxItems?: number
}

type Row = { readonly path: string; readonly field: Field; readonly required: boolean }

/** A document that sets every field but those of Bitbucket and Gitea. The page shows it, and each row shows its field's value. */
export const runnerSetExample = {
  apiVersion: runnerSetApiVersion,
  kind: 'RunnerSet',
  metadata: { name: 'linux', namespace: 'ci' },
  spec: {
    github: {
      url: 'https://github.com/acme',
      credentials: { secret: 'github-token' },
      runnerGroup: 'Default',
      labels: ['linux-x64'],
      proxy: {
        url: 'http://proxy.acme.example:3128',
        credentials: { secret: 'proxy-login' },
        noProxy: ['.svc', '10.0.0.0/8'],
      },
      ca: { configMap: 'acme-ca', key: 'ca.crt' },
    },
    runner: {
      inherit: false,
      proxy: { url: 'http://proxy.acme.example:3129', noProxy: ['.svc'] },
      ca: { configMap: 'runner-ca', key: 'ca.crt' },
    },
    scale: { min: 1, max: 20 },
    paused: false,
    docker: 'sidecar',
    dockerEngine: {
      mirror: 'https://mirror.acme.example',
      insecureRegistries: ['registry.acme.example:5000'],
      storage: { size: '80Gi', class: 'fast' },
    },
    jobs: 'pods',
    jobPods: {
      serviceAccount: 'dayfly-job-pods',
      work: { size: '10Gi', class: 'fast', accessMode: 'ReadWriteOnce' },
      template: { configMap: 'job-pods', key: 'template.yaml' },
    },
    templateChecks: 'enforce',
    keepFinished: '0s',
    keepFailed: '10m',
    startMax: '20m',
    idleMax: '2h',
    lifeMax: '6h',
    objective: { queueTime: '2m' },
    template: {
      metadata: { labels: { team: 'platform' } },
      spec: { containers: [{ name: 'runner', resources: { requests: { cpu: '1', memory: '2Gi' } } }] },
    },
  },
}

/** A document of a set for Bitbucket Pipelines. */
export const bitbucketExample = {
  apiVersion: runnerSetApiVersion,
  kind: 'RunnerSet',
  metadata: { name: 'linux', namespace: 'ci' },
  spec: {
    bitbucket: {
      url: 'https://bitbucket.org/acme',
      credentials: { secret: 'bitbucket-token' },
      labels: ['linux.x64'],
      proxy: runnerSetExample.spec.github.proxy,
      ca: runnerSetExample.spec.github.ca,
    },
    scale: {
      min: 1,
      max: 10,
      percentageRunnersIdle: {
        scaleUpThreshold: 0.8,
        scaleDownThreshold: 0.2,
        scaleUpMultiplier: 1.5,
        scaleDownMultiplier: 0.5,
        coolDown: '5m',
      },
    },
    docker: 'sidecar',
  },
}

/** A document of a set for Gitea or Forgejo. */
export const giteaExample = {
  apiVersion: runnerSetApiVersion,
  kind: 'RunnerSet',
  metadata: { name: 'linux', namespace: 'ci' },
  spec: {
    gitea: {
      url: 'https://gitea.example.com/acme',
      credentials: { secret: 'gitea-token' },
      labels: ['ubuntu-latest'],
      jobImage: 'docker.gitea.com/runner-images:ubuntu-latest',
      proxy: runnerSetExample.spec.github.proxy,
      ca: runnerSetExample.spec.github.ca,
    },
    scale: { min: 0, max: 20, usualDemand: { max: 12, timeZone: 'Europe/Berlin' } },
    docker: 'sidecar',
  },
}

/** Returns the JSON schema of a whole document, for editors. */
export function runnerSetJsonSchema(): string {
  const { $schema, ...spec } = z.toJSONSchema(runnerSetSpecSchema, { target: 'draft-7', io: 'input' })
  const schema = {
    $schema,
    $id: 'https://dayfly.dev/schemas/runner-set.schema.json',
    title: 'RunnerSet',
    description: 'A kind of ephemeral CI runner. Each runner executes at most one job.',
    type: 'object',
    required: ['apiVersion', 'kind', 'metadata', 'spec'],
    properties: {
      apiVersion: { const: runnerSetApiVersion },
      kind: { const: 'RunnerSet' },
      metadata: {
        type: 'object',
        required: ['name'],
        properties: { name: { type: 'string', maxLength: nameLengthMax }, namespace: { type: 'string' } },
      },
      spec,
      status: { type: 'object' },
    },
    additionalProperties: false,
  }
  const withoutKubernetes = (key: string, value: unknown) => (key.startsWith('x-kubernetes-') ? undefined : value)
  return `${JSON.stringify(schema, withoutKubernetes, 2)}\n`
}

export function runnerSetPage(): string {
  const schema = z.toJSONSchema(runnerSetSpecSchema, { target: 'openapi-3.0', io: 'input' }) as Field
  const rows = rowsOf(schema, '').map(({ path, field, required }) => {
    const example = exampleAt(path)
    const cells = [`\`${path}\``, typeOf(field), defaultOf(field, required), field.description ?? '', example]
    return `| ${cells.join(' | ')} |`
  })
  return `<!-- Generated by scripts/generate-runner-set.ts; edit packages/runner-set/src/config/spec-schema.ts. -->
# RunnerSet

A RunnerSet is a kind of runner. It has a forge, a range of counts, and a pod template. It is a namespaced custom resource.

\`\`\`yaml
${stringify(runnerSetExample).trim()}
\`\`\`

For Bitbucket Pipelines, the set has \`bitbucket\` instead of \`github\`:

\`\`\`yaml
${stringify(bitbucketExample, { aliasDuplicateObjects: false }).trim()}
\`\`\`

For Gitea or Forgejo, it has \`gitea\`:

\`\`\`yaml
${stringify(giteaExample, { aliasDuplicateObjects: false }).trim()}
\`\`\`

## Fields of \`spec\`

| Field | Type | Default | Meaning | Example |
|---|---|---|---|---|
${rows.join('\n')}

A duration is a number of at most five digits with \`ms\`, \`s\`, \`m\` or \`h\`, or several of them: \`1h30m\`.
A field that this table does not list is an error, except inside \`template\`.
\`dist/runner-set.schema.json\` of the package dayfly describes the fields for editors; in this repository, \`npm ci\` writes it to \`packages/dayfly/dist\`. Name it in the first line of a file: \`# yaml-language-server: $schema=PATH\`.
\`dayfly doctor FILE\` finds a set that Dayfly refuses before you apply it ([SET601](../packages/doctor/src/rules/runner-set-invalid.md)).

## Rules

The API server refuses a set that breaks one of these rules:

| Field | Rule | Sentence of the API server |
|---|---|---|
${relations.map(({ level, rule, fieldPath = '', message }) => `| \`${level.slice(1).join('.') || 'spec'}${fieldPath}\` | \`${rule.replaceAll('|', '\\|')}\` | ${message} |`).join('\n')}
| \`metadata.name\` | at most ${nameLengthMax} characters | the name is the value of a label |

## The pod template

Dayfly merges \`template\` over its default pod. It merges lists of named items by name, and replaces other lists.
The container \`runner\` is the runner. Its default image is \`ghcr.io/actions/actions-runner:latest\`, or that of the runner of Bitbucket or Gitea.
The pod has no ServiceAccount token and no injected service variables, unless the template sets them. Its restart policy is always \`Never\`.
The runners of GitHub and Gitea read their credential from a file in \`/run/dayfly\`. Bitbucket's runner reads it from environment variables that name the keys of the Secret.
With \`docker: sidecar\` or \`docker: rootless\`, the pod also has a Docker Engine ([guide/docker.md](guide/docker.md)).

Before the first runner, Dayfly sends the pod to the API server as a dry run, and compares the response with the pod. It does so again after each change.
It refuses a template that the API server refuses or changes, one without the container \`runner\`, and one with a hazard: a known cause of pods that never start or never end.
\`templateChecks: warn\` lets a hazard run.

## Conditions

| Condition | True | Not true |
|---|---|---|
| \`Ready\` | Runners start when jobs ask for them, or the set is paused (reason \`Paused\`). | The reason and the message say what is missing. |
| \`TemplateAccepted\` | The API server accepts the template. With the reason \`AcceptedWithWarnings\`, the message names its hazards. | Dayfly checks the template, or refuses it. |
| \`ForgeConnected\` | The forge reports its demand. | The forge refuses, or does not respond. |
| \`RunnerVersionSupported\` | The forge serves the version of the runner. The reason says if it ends within 14 or 7 days. Only at GitHub. | The forge has ended the version, or the version or its end is not known ([more](guide/github.md#the-version-of-the-runner)). |
| \`Degraded\` | Starts fail or are held up, or pods are stuck. | Nothing is wrong. |
| \`Reconciling\` | The set is not ready, and the cause may pass by itself. | absent |
| \`Stalled\` | The set is not ready until an operator changes it. | absent |

\`kubectl wait --for=condition=Ready\` waits for a set. Flux and other tools that use kstatus read \`observedGeneration\`, \`Ready\`, \`Reconciling\` and \`Stalled\`.
Argo CD needs a health check in its ConfigMap \`argocd-cm\`:

\`\`\`yaml
data:
  resource.customizations.health.dayfly.dev_RunnerSet: |
    local health = { status = "Progressing", message = "" }
    local status = obj.status or {}
    if status.observedGeneration ~= obj.metadata.generation then return health end
    for _, condition in ipairs(status.conditions or {}) do
      if condition.type == "Stalled" and condition.status == "True" then
        return { status = "Degraded", message = condition.message }
      end
      if condition.type == "Ready" then
        health.message = condition.message
        if condition.status == "True" then health.status = "Healthy" end
        if condition.reason == "Paused" then health.status = "Suspended" end
      end
    end
    return health
\`\`\`
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
  if (field.type === 'boolean') return 'boolean'
  if (field.enum) return field.enum.map((value) => `\`${value}\``).join(' or ')
  if (field.type === 'integer') return `integer, ${field.minimum} or more`
  if (field.type === 'number') return `number, ${field.minimum} to ${field.maximum}`
  if (field.type === 'object') return isOpen(field) ? 'PodTemplateSpec' : 'object'
  if (field.pattern?.includes('ms|s')) return 'duration'
  return field.pattern ? `name, at most ${field.maxLength} characters` : `text, at most ${field.maxLength} characters`
}

function defaultOf(field: Field, required: boolean): string {
  if (required) return 'required'
  return field.default === undefined ? 'none' : `\`${field.default}\``
}

/** Returns the example's value as code. The fields of an object show their own. If two fields exclude each other, an example sets one. */
function exampleAt(path: string): string {
  const value =
    valueAt(runnerSetExample.spec, path) ?? valueAt(bitbucketExample.spec, path) ?? valueAt(giteaExample.spec, path)
  if (value === undefined) return ''
  if (Array.isArray(value)) return `\`${JSON.stringify(value)}\``
  return typeof value === 'object' ? '' : `\`${value}\``
}

function valueAt(spec: object, path: string): unknown {
  let value: unknown = spec
  for (const name of path.split('.')) {
    value = typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined
  }
  return value
}

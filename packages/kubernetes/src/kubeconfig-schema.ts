// Parses the text of a kubeconfig and checks the fields that Dayfly uses (https://kubernetes.io/docs/reference/config-api/kubeconfig.v1/).
import { parseDocument } from 'yaml'
import * as z from 'zod'
import { KubeconfigError } from './kubeconfig-error.ts'

const text = z.string().min(1)
/** Describes a list of entries with a name and one field. kubectl writes an empty list as null. */
const listOf = <Field extends string, Shape extends z.ZodType>(field: Field, shape: Shape) =>
  z
    .array(z.object({ name: text, [field]: shape } as Record<'name', typeof text> & Record<Field, Shape>))
    .nullish()
    .transform((entries) => entries ?? [])

const clusterSchema = z.object({
  server: text,
  'certificate-authority': text.optional(),
  'certificate-authority-data': text.optional(),
  'insecure-skip-tls-verify': z.boolean().optional(),
  'tls-server-name': text.optional(),
  'proxy-url': text.optional(),
})
const pluginSchema = z.object({
  apiVersion: z.enum(['client.authentication.k8s.io/v1', 'client.authentication.k8s.io/v1beta1']),
  command: text,
  args: z.array(z.string()).nullish(),
  env: z.array(z.object({ name: text, value: z.string() })).nullish(),
  installHint: z.string().optional(),
  interactiveMode: z.enum(['Never', 'IfAvailable', 'Always']).optional(),
  provideClusterInfo: z.boolean().optional(),
})
const userSchema = z.object({
  token: text.optional(),
  tokenFile: text.optional(),
  'client-certificate': text.optional(),
  'client-certificate-data': text.optional(),
  'client-key': text.optional(),
  'client-key-data': text.optional(),
  username: text.optional(),
  password: text.optional(),
  as: text.optional(),
  exec: pluginSchema.optional(),
  'auth-provider': z.unknown().optional(),
})
const contextSchema = z.object({ cluster: text, user: text.optional(), namespace: text.optional() })
const fileSchema = z.object({
  apiVersion: z.literal('v1').optional(),
  kind: z.literal('Config').optional(),
  'current-context': z.string().optional(),
  clusters: listOf('cluster', clusterSchema),
  users: listOf('user', userSchema),
  contexts: listOf('context', contextSchema),
})

export type KubeconfigCluster = z.infer<typeof clusterSchema>
export type KubeconfigPlugin = z.infer<typeof pluginSchema>
export type KubeconfigUser = z.infer<typeof userSchema>
export type KubeconfigFile = z.infer<typeof fileSchema>

/** Parses a kubeconfig. Throws a KubeconfigError that names the line or the field. */
export function parseKubeconfig(source: string, file: string): KubeconfigFile {
  const document = parseDocument(source)
  const broken = document.errors[0]
  if (broken) {
    const line = broken.linePos?.[0].line
    throw new KubeconfigError('kubeconfig-invalid', file, {
      at: line === undefined ? '' : `line ${line}`,
      sentence: asSentence(`This is not valid YAML: ${broken.message.split(' at line ')[0]}`),
      next: 'Correct the line, or write a new file with `kubectl config view --raw`.',
    })
  }
  let data: unknown
  try {
    data = document.toJS()
  } catch (error) {
    throw new KubeconfigError('kubeconfig-invalid', file, {
      at: '',
      sentence: asSentence(`The YAML cannot be resolved: ${error instanceof Error ? error.message : String(error)}`),
      next: 'Write the file without aliases, for example with `kubectl config view --raw`.',
    })
  }
  if (data === null) {
    const next = 'Name another file, or write this one with `kubectl config view --raw`.'
    throw new KubeconfigError('kubeconfig-invalid', file, { at: '', sentence: 'The file is empty.', next })
  }
  const result = fileSchema.safeParse(data)
  if (result.success) return result.data
  const issue = result.error.issues[0]
  throw new KubeconfigError('kubeconfig-invalid', file, {
    at: pathText(issue?.path ?? []),
    sentence: asSentence(issue?.message ?? 'This is not a kubeconfig'),
    next: 'Correct the field; `kubectl config view` shows the file as kubectl reads it.',
  })
}

function pathText(path: readonly PropertyKey[]): string {
  return path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
    .join('')
    .replace(/^\./, '')
}

function asSentence(text: string): string {
  return `${text.replace(/[.:\s]+$/, '')}.`
}

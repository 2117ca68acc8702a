// One set of runners of ARC, from any kind of input.
import type { Line } from './ledger.ts'
import type { Values } from './values.ts'

/** The kind of the input. */
export type Form =
  | 'values file'
  | 'Helm release'
  | 'Argo CD Application'
  | 'Argo CD ApplicationSet'
  | 'Flux HelmRelease'
  | 'helmfile'
  | 'kustomization'
  | 'Terraform'
  | 'AutoscalingRunnerSet'
  | 'RunnerDeployment'
  | 'RunnerSet'

export type Release = {
  readonly form: Form
  readonly file: string
  /** The place of the release in its file. Empty: the whole file. */
  readonly at: string
  /** The name of the Helm release or of the object. Undefined: unknown. */
  readonly name: string | undefined
  readonly namespace: string | undefined
  readonly values: Values
  /** The files that the values are in. */
  readonly files: readonly string[]
  /** Lines about parts of the input that are beside the values. */
  readonly notes: readonly Line[]
  /** The names of objects that ARC's chart made, and that go with the release. */
  readonly made: ChartMade
  /** Labels that the runners had beside those in the values. */
  readonly labels?: readonly string[]
}

export type ChartMade = {
  readonly secret?: string
  /** The Secret with the inline credential of an installed release. */
  readonly inlineSecret?: string
  readonly plainAccount?: string
  readonly kubernetesAccount?: string
}

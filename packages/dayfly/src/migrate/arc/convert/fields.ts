// Converts the fields of the pod that are neither containers nor volumes.
import { fieldsAt, type JsonObject, type Path, valueAt } from '@dayfly/kit/read-json'
import { isKubernetesMode, modeOf, specPath } from './containers.ts'
import type { Context } from './context.ts'

const lists: ReadonlySet<string> = new Set(['containers', 'initContainers', 'volumes'])

export function convertFields(context: Context): JsonObject {
  const { values, ledger } = context
  const spec = fieldsAt(values.root, ...specPath) ?? {}
  const out: Record<string, unknown> = {}
  for (const key of Object.keys(spec)) {
    const value = spec[key]
    const path: Path = [...specPath, key]
    if (lists.has(key) || value === null || value === '') continue
    if (key === 'restartPolicy') {
      if (value === 'Never') ledger.note('kept', path, 'Each runner of Dayfly lives once, too.')
      else ledger.note('changed', path, 'Never: each runner of Dayfly lives once.')
    } else if (key === 'serviceAccountName' || key === 'serviceAccount')
      Object.assign(out, convertAccountName(context, key, String(value)))
    else {
      out[key] = value
      if (key === 'nodeSelector') noteWindows(context, path)
      noteSelectors(context, path, value)
    }
  }
  return out
}

function noteWindows({ values, ledger }: Context, path: Path): void {
  const system = [...path, 'kubernetes.io/os']
  if (valueAt(values.root, ...system) === 'windows')
    ledger.note('decide', system, 'Dayfly starts runners on Linux only: a runner on Windows has no counterpart.')
}

/** ARC's pods have the token of their ServiceAccount. Dayfly's have it only if the template says so. */
function convertAccountName(context: Context, key: string, name: string): JsonObject {
  const { values, ledger, made } = context
  const path = [...specPath, key]
  if (name === made.plainAccount || name.endsWith('-gha-rs-no-permission')) {
    ledger.note('dropped', path, "ARC's chart made this account without rights. Dayfly's pods have no token at all.")
    return {}
  }
  const isOfMode = name.endsWith('-gha-rs-kube-mode')
  if (name === made.kubernetesAccount || (isOfMode && isKubernetesMode(modeOf(context)))) {
    ledger.note('changed', path, "ARC's chart made this account for the pods of jobs. Dayfly's is dayfly-job-pods.")
    return {}
  }
  const ofRelease = `It is kept. ARC's chart makes accounts of such a name, and removes them with their release: name your own.`
  if (isOfMode) ledger.note('decide', path, ofRelease)
  const hasOwn = fieldsAt(values.root, ...specPath)?.['automountServiceAccountToken'] !== undefined
  if (hasOwn) return { [key]: name }
  ledger.note(
    'changed',
    path,
    `spec.template.spec.${key}, with automountServiceAccountToken: true as in ARC. Remove that if no job calls Kubernetes.`,
  )
  return { [key]: name, automountServiceAccountToken: true }
}

/** ARC labels its pods, and the rules of a template may select these labels. Dayfly's pods have others. */
function noteSelectors({ ledger }: Context, path: Path, value: unknown): void {
  if (typeof value !== 'object' || value === null) return
  const text = JSON.stringify(value)
  if (/actions\.github\.com\/|actions-ephemeral-runner|"app\.kubernetes\.io\/(component|instance|part-of)/.test(text)) {
    ledger.note(
      'decide',
      path,
      'It selects pods by labels of ARC. Select dayfly.dev/set with the name of the set, or labels in template.metadata.',
    )
  }
}

// Converts the modes `kubernetes` and `kubernetes-novolume` of ARC's chart, in which a job has a pod of its own.
import { fieldsAt, type JsonObject, listAt, type Path, textAt } from '@dayfly/kit/read-json'
import { ofAccount } from '../values-table.ts'
import { acceptedText } from './accepted.ts'
import { type FoundContainer, isKubernetesMode, modeOf, specPath } from './containers.ts'
import type { Context } from './context.ts'

/** Returns the fields of the spec: none in the other modes. */
export function convertJobPods(context: Context, containers: readonly FoundContainer[]): JsonObject {
  const { ledger } = context
  if (!isKubernetesMode(modeOf(context))) return {}
  ledger.note('changed', ['containerMode', 'type'], asJobPods)
  for (const key of ['kubernetesModeServiceAccount', 'kubernetesModeAdditionalRoleRules']) {
    ledger.note('decide', ['containerMode', key], ofAccount)
  }
  const work = hasVolume(context, containers) ? workOf(context) : undefined
  return { jobs: 'pods', ...(work === undefined ? {} : { jobPods: { work } }) }
}

const asJobPods =
  'spec.jobs: pods. It needs an account, which the chart dayfly-runner-set makes, and rbac.jobPods of the chart dayfly (docs/guide/job-pods.md).'

/** A set in a cluster shows by its hooks whether it has the volume. */
function hasVolume(context: Context, containers: readonly FoundContainer[]): boolean {
  if (modeOf(context) === 'kubernetes-novolume') return false
  const runner = containers.find(({ role }) => role === 'runner')
  const hooks = listAt(runner?.value, 'env').find((one) => textAt(one, 'name') === 'ACTIONS_RUNNER_CONTAINER_HOOKS')
  return !textAt(hooks, 'value')?.includes('k8s-novolume')
}

const claimPath: Path = ['containerMode', 'kubernetesModeWorkVolumeClaim']

/** A volume `work` of the template takes the place of the claim. */
function workOf(context: Context): JsonObject {
  const { values, ledger } = context
  const isInTemplate = listAt(values.root, ...specPath, 'volumes').some((one) => textAt(one, 'name') === 'work')
  const claim = isInTemplate ? undefined : fieldsAt(values.root, ...claimPath)
  if (isInTemplate) ledger.note('dropped', claimPath, 'The template has a volume work of its own.')
  if (!claim) return {}
  const size = acceptedText(context, [...claimPath, 'resources', 'requests', 'storage'], {
    place: 'spec.jobPods.work.size',
    what: 'size such as 10Gi',
  })
  const storageClass = acceptedText(context, [...claimPath, 'storageClassName'], {
    place: 'spec.jobPods.work.class',
    what: 'name of a StorageClass',
  })
  const accessMode = acceptedText(context, [...claimPath, 'accessModes', 0], {
    place: 'spec.jobPods.work.accessMode',
    what: 'access mode for a work folder',
  })
  for (const key of Object.keys(claim)) {
    const isKnown = ['accessModes', 'resources', 'storageClassName'].includes(key)
    if (isKnown) ledger.note('kept', [...claimPath, key], 'spec.jobPods.work')
    else
      ledger.note(
        'decide',
        [...claimPath, key],
        'spec.jobPods.work has no such field. Write a volume work into the template.',
      )
  }
  return {
    ...(size === undefined ? {} : { size }),
    ...(storageClass === undefined ? {} : { class: storageClass }),
    ...(accessMode === undefined ? {} : { accessMode }),
  }
}

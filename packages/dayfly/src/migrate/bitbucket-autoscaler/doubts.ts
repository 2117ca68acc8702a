// Finds values of a configuration that the official tool accepts although they cannot work (docs/reference/bitbucket.md#s4-3).
import { bitbucket } from '@dayfly/runner-set/model/forges/bitbucket'
import { compareQuantities, isQuantity } from '@dayfly/runner-set/model/quantity'
import type { Configuration, Group, Parameters } from './configuration.ts'
import type { Problem } from './problem.ts'
import { below } from './yaml/value.ts'

/** `errors` would make runners that never start. `warnings` only say what happens. */
export function doubtsOf({ constants, groups }: Configuration): {
  readonly errors: readonly Problem[]
  readonly warnings: readonly Problem[]
} {
  const warnings = groups.flatMap((group) => doubtfulParameters(group))
  const constantWarnings = [
    [constants.pollingInterval, 'runner_api_polling_interval'] as const,
    [constants.coolDown, 'runner_cool_down_period'] as const,
    [constants.sleepAfterSetup, 'default_sleep_time_runner_setup'] as const,
    [constants.sleepAfterDelete, 'default_sleep_time_runner_delete'] as const,
  ].flatMap(([value, key]) => {
    const isWrong = value < 0 || (value === 0 && key === 'runner_api_polling_interval')
    return isWrong ? [{ path: below('constants', key), sentence: `The value ${value} is no period of time.` }] : []
  })
  return { errors: groups.flatMap(impossible), warnings: [...constantWarnings, ...warnings] }
}

function impossible(group: Group): readonly Problem[] {
  const at = (key: string) => below(group.path, key)
  const problems: Problem[] = []
  if (group.workspace.trim() === '') {
    problems.push({ path: at('workspace'), sentence: 'The value is empty. Name the workspace.' })
  }
  if (!/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(group.namespace)) {
    const sentence = `Kubernetes allows no namespace ${JSON.stringify(group.namespace.slice(0, 80))}. Use lower-case letters, digits and dashes.`
    problems.push({ path: at('namespace'), sentence })
  }
  for (const kind of ['memory', 'cpu'] as const) problems.push(...wrongQuantities(group, kind))
  return [...problems, ...wrongLabels(group)]
}

/** Kubernetes refuses a request above its limit, so no Job of the group would start. */
function wrongQuantities({ path, resources }: Group, kind: 'memory' | 'cpu'): readonly Problem[] {
  const { requests, limits } = resources
  const problems = (['requests', 'limits'] as const).flatMap((side) => {
    if (isQuantity(resources[side][kind])) return []
    const sentence = `${JSON.stringify(resources[side][kind].slice(0, 80))} is no quantity of Kubernetes. Write 4Gi or 1000m, for example.`
    return [{ path: `${path}.resources.${side}.${kind}`, sentence }]
  })
  if (problems.length > 0 || compareQuantities(requests[kind], limits[kind]) <= 0) return problems
  const sentence = `The limit ${limits[kind]} is below the request ${requests[kind]}, so Kubernetes refuses each runner. Raise the limit.`
  return [{ path: `${path}.resources.limits.${kind}`, sentence }]
}

function wrongLabels({ path, labels }: Group): readonly Problem[] {
  return labels.flatMap((label, index) => {
    if (/^[a-z0-9]+(\.[a-z0-9]+)*$/.test(label) && label.length <= 50) return []
    const sentence = `Bitbucket allows no label ${JSON.stringify(label.slice(0, 80))}. Use lower-case letters, digits and dots between them.`
    return [{ path: `${path}.labels[${index}]`, sentence }]
  })
}

function doubtfulParameters({ path, parameters }: Group): readonly Problem[] {
  const warn = (key: string, isWrong: boolean, sentence: string) =>
    isWrong ? [{ path: `${path}.parameters.${key}`, sentence }] : []
  const { min, max } = parameters
  return [
    ...warn('min', min < 1 && max > 0, `With ${min}, no runner waits, and steps fail. Dayfly keeps at least 1.`),
    ...warn('min', min > max, `The minimum ${min} is above the maximum ${max}. Dayfly uses ${Math.max(max, 0)}.`),
    ...warn('max', max < 0, `The maximum ${max} is negative. Dayfly uses 0, so no runner starts.`),
    ...warn(
      'max',
      max > bitbucket.runnersMax,
      `Bitbucket allows ${bitbucket.runnersMax} runners in a workspace, and the maximum is ${max}.`,
    ),
    ...doubtfulFactors(path, parameters),
  ]
}

function doubtfulFactors(path: string, parameters: Parameters): readonly Problem[] {
  const { scaleUpThreshold, scaleDownThreshold, scaleUpMultiplier, scaleDownMultiplier } = parameters
  const share = (value: number) => value >= 0 && value <= 1
  const rows: readonly (readonly [string, number, boolean, string])[] = [
    ['scale_up_threshold', scaleUpThreshold, share(scaleUpThreshold), 'between 0 and 1'],
    ['scale_down_threshold', scaleDownThreshold, share(scaleDownThreshold), 'between 0 and 1'],
    ['scale_up_multiplier', scaleUpMultiplier, scaleUpMultiplier > 1, 'above 1'],
    [
      'scale_down_multiplier',
      scaleDownMultiplier,
      scaleDownMultiplier > 0 && scaleDownMultiplier < 1,
      'between 0 and 1',
    ],
  ]
  return rows.flatMap(([key, value, isRight, wanted]) => {
    if (isRight) return []
    const sentence = `The value ${value} is not ${wanted}. The official tool accepts it, and Dayfly does not use it.`
    return [{ path: `${path}.parameters.${key}`, sentence }]
  })
}

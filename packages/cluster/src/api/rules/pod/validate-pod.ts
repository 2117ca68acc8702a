// Validates a new pod's spec (ValidatePodSpec, ValidatePodCreate), in Kubernetes' order of errors.
// Source: https://github.com/kubernetes/kubernetes/blob/release-1.36/pkg/apis/core/validation/validation.go
import type { Profile } from '../../api.ts'
import { type FieldError, invalidValue, notAllowed, notSupported } from '../../values/field-error.ts'
import { validateLabels } from '../../values/metadata.ts'
import {
  dnsLabelProblems,
  dnsSubdomainProblems,
  labelValueProblems,
  qualifiedNameProblems,
} from '../../values/names.ts'
import type { PodSpec, Toleration } from './pod-spec.ts'
import { validateContainers } from './validate-container.ts'
import { validateVolumes } from './validate-volumes.ts'

const restartPolicies = ['Always', 'OnFailure', 'Never']
const dnsPolicies = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None']
const int32Max = 2 ** 31 - 1

export function validatePodSpec(spec: PodSpec, profile: Profile): readonly FieldError[] {
  const volumes = validateVolumes(spec.volumes ?? [], 'spec.volumes')
  const { restartPolicy = '', dnsPolicy = '' } = spec
  const errors: FieldError[] = [...volumes.errors, ...validateContainers({ spec, volumes: volumes.names, profile })]
  if (!restartPolicies.includes(restartPolicy)) {
    errors.push(notSupported('spec.restartPolicy', restartPolicy, restartPolicies))
  }
  if (!dnsPolicies.includes(dnsPolicy)) errors.push(notSupported('spec.dnsPolicy', dnsPolicy, dnsPolicies))
  errors.push(...validateLabels(spec.nodeSelector ?? {}, 'spec.nodeSelector'))
  errors.push(
    ...named('spec.serviceAccountName', spec.serviceAccountName, dnsSubdomainProblems),
    ...named('spec.nodeName', spec.nodeName, dnsSubdomainProblems),
  )
  const deadline = spec.activeDeadlineSeconds
  if (deadline !== undefined && (deadline < 1 || deadline > int32Max)) {
    errors.push(invalidValue('spec.activeDeadlineSeconds', deadline, `must be between 1 and ${int32Max}, inclusive`))
  }
  errors.push(
    ...named('spec.hostname', spec.hostname, dnsLabelProblems),
    ...named('spec.subdomain', spec.subdomain, dnsLabelProblems),
    ...validateTolerations(spec.tolerations ?? [], 'spec.tolerations'),
    ...validateImages(spec),
  )
  return errors
}

/** Refuses fields that a pod may get later, but not at creation. */
export function validateNewPod(spec: PodSpec): readonly FieldError[] {
  const errors: FieldError[] = []
  if ((spec.ephemeralContainers ?? []).length > 0) {
    errors.push(notAllowed('spec.ephemeralContainers', 'cannot be set on create'))
  }
  if ((spec.nodeName ?? '') !== '' && (spec.schedulingGates ?? []).length > 0) {
    errors.push(notAllowed('spec.nodeName', 'cannot be set until all schedulingGates have been cleared'))
  }
  return errors
}

function named(
  field: string,
  value: string | undefined,
  problems: (value: string) => readonly string[],
): readonly FieldError[] {
  if (value === undefined || value === '') return []
  return problems(value).map((problem) => invalidValue(field, value, problem))
}

function validateImages(spec: PodSpec): readonly FieldError[] {
  const { containers = [], initContainers = [] } = spec
  return Object.entries({ containers, initContainers }).flatMap(([list, items]) =>
    items.flatMap(({ image = '' }, index) =>
      image === image.trim()
        ? []
        : [invalidValue(`spec.${list}[${index}].image`, image, 'must not have leading or trailing whitespace')],
    ),
  )
}

export function validateTolerations(tolerations: readonly Toleration[], field: string): readonly FieldError[] {
  return tolerations.flatMap(({ key = '', operator = '', value = '', effect = '', tolerationSeconds }, index) => {
    const at = `${field}[${index}]`
    const errors =
      key === '' ? [] : qualifiedNameProblems(key).map((problem) => invalidValue(`${at}.key`, key, problem))
    if (key === '' && operator !== 'Exists') {
      const why = 'operator must be Exists when `key` is empty, which means "match all values and all keys"'
      errors.push(invalidValue(`${at}.operator`, operator, why))
    }
    if (tolerationSeconds !== undefined && effect !== 'NoExecute') {
      errors.push(invalidValue(`${at}.effect`, effect, "effect must be 'NoExecute' when `tolerationSeconds` is set"))
    }
    if (operator === '' || operator === 'Equal') {
      const problems = labelValueProblems(value)
      if (problems.length > 0) errors.push(invalidValue(`${at}.operator`, value, problems.join(';')))
    } else if (operator === 'Exists') {
      if (value !== '') {
        errors.push(invalidValue(`${at}.operator`, value, "value must be empty when `operator` is 'Exists'"))
      }
    } else errors.push(notSupported(`${at}.operator`, operator, ['Equal', 'Exists']))
    if (!['', 'NoSchedule', 'PreferNoSchedule', 'NoExecute'].includes(effect)) {
      errors.push(notSupported(`${at}.effect`, effect, ['NoSchedule', 'PreferNoSchedule', 'NoExecute']))
    }
    return errors
  })
}

// Validates containers and init containers (validateContainers, validateInitContainers).
// Source: https://github.com/kubernetes/kubernetes/blob/release-1.36/pkg/apis/core/validation/validation.go
import type { Profile } from '../../api.ts'
import { duplicate, type FieldError, invalidValue, notSupported, required } from '../../values/field-error.ts'
import { dnsLabelProblems, portNameProblems } from '../../values/names.ts'
import type { Container, PodSpec } from './pod-spec.ts'
import { validateResources } from './resources.ts'
import { hasRestartRules, validateInitRestart, validateRestart } from './restart-rules.ts'
import { validateEnv, validateEnvFrom } from './validate-env.ts'
import { refuseHandlers, validateHandlers } from './validate-probes.ts'
import { validateMounts } from './validate-volumes.ts'

type PodContext = { readonly spec: PodSpec; readonly volumes: ReadonlySet<string>; readonly profile: Profile }

export function validateContainers({ spec, volumes, profile }: PodContext): readonly FieldError[] {
  const { containers = [], initContainers = [], terminationGracePeriodSeconds: grace = 0 } = spec
  if (containers.length === 0) return [required('spec.containers'), ...validateInits({ spec, volumes, profile })]
  const names = new Set<string>()
  const errors = containers.flatMap((container, index) => {
    const field = `spec.containers[${index}]`
    const { name = '' } = container
    const repeated = names.has(name) ? [duplicate(`${field}.name`, name)] : []
    names.add(name)
    return [
      ...validateCommon(container, field, { spec, volumes, profile }),
      ...repeated,
      ...validateHandlers(container, field, grace),
      ...validateRestart(container, field, profile),
    ]
  })
  errors.push(...validateHostPorts(containers))
  return initContainers.length === 0 ? errors : [...errors, ...validateInits({ spec, volumes, profile })]
}

function validateInits({ spec, volumes, profile }: PodContext): readonly FieldError[] {
  const { containers = [], initContainers = [], terminationGracePeriodSeconds: grace = 0 } = spec
  const names = new Set(containers.map((container) => container.name ?? ''))
  return initContainers.flatMap((container, index) => {
    const field = `spec.initContainers[${index}]`
    const { name = '' } = container
    const repeated = names.has(name) ? [duplicate(`${field}.name`, name)] : []
    if (name !== '') names.add(name)
    const sidecar = container.restartPolicy === 'Always'
    return [
      ...validateCommon(container, field, { spec, volumes, profile }),
      ...validateInitRestart(container, field, profile),
      ...repeated,
      ...(sidecar ? validateHandlers(container, field, grace) : refuseHandlers(container, field)),
    ]
  })
}

function validateCommon(container: Container, field: string, { volumes, profile }: PodContext): readonly FieldError[] {
  const { name = '', image = '', terminationMessagePolicy = '', imagePullPolicy = '' } = container
  const errors =
    name === ''
      ? [required(`${field}.name`)]
      : dnsLabelProblems(name).map((problem) => invalidValue(`${field}.name`, name, problem))
  if (image === '') errors.push(required(`${field}.image`))
  if (!['File', 'FallbackToLogsOnError'].includes(terminationMessagePolicy)) {
    const at = `${field}.terminationMessagePolicy`
    errors.push(notSupported(at, terminationMessagePolicy, ['File', 'FallbackToLogsOnError']))
  }
  errors.push(
    ...validatePorts(container.ports ?? [], `${field}.ports`),
    ...validateEnv(container.env ?? [], `${field}.env`, envSources(profile)),
    ...validateEnvFrom(container.envFrom ?? [], `${field}.envFrom`),
    ...validateMounts(container.volumeMounts ?? [], volumes, `${field}.volumeMounts`),
  )
  if (!['Always', 'IfNotPresent', 'Never'].includes(imagePullPolicy)) {
    errors.push(notSupported(`${field}.imagePullPolicy`, imagePullPolicy, ['Always', 'IfNotPresent', 'Never']))
  }
  errors.push(...validateResources(container.resources, `${field}.resources`))
  return errors
}

/** Returns the sources of variables in a message. `fileKeyRef` came with the same version as the restart rules. */
function envSources(profile: Profile): string {
  const last = hasRestartRules(profile) ? ', `secretKeyRef` or `fileKeyRef`' : ' or `secretKeyRef`'
  return `\`fieldRef\`, \`resourceFieldRef\`, \`configMapKeyRef\`${last}`
}

function validatePorts(ports: NonNullable<Container['ports']>, field: string): readonly FieldError[] {
  const names = new Set<string>()
  return ports.flatMap(({ name = '', containerPort = 0, hostPort = 0, protocol = '' }, index) => {
    const at = `${field}[${index}]`
    const errors: FieldError[] = []
    const problems = name === '' ? [] : portNameProblems(name)
    for (const problem of problems) errors.push(invalidValue(`${at}.name`, name, problem))
    if (name !== '' && names.has(name)) errors.push(duplicate(`${at}.name`, name))
    names.add(name)
    const outside = (port: number): boolean => port < 1 || port > 65535
    if (containerPort === 0) errors.push(required(`${at}.containerPort`))
    else if (outside(containerPort)) {
      errors.push(invalidValue(`${at}.containerPort`, containerPort, 'must be between 1 and 65535, inclusive'))
    }
    if (hostPort !== 0 && outside(hostPort)) {
      errors.push(invalidValue(`${at}.hostPort`, hostPort, 'must be between 1 and 65535, inclusive'))
    }
    if (!['SCTP', 'TCP', 'UDP'].includes(protocol)) {
      errors.push(notSupported(`${at}.protocol`, protocol, ['SCTP', 'TCP', 'UDP']))
    }
    return errors
  })
}

function validateHostPorts(containers: readonly Container[]): readonly FieldError[] {
  const taken = new Set<string>()
  const errors: FieldError[] = []
  for (const [index, { ports = [] }] of containers.entries()) {
    for (const [at, { protocol, hostIP = '', hostPort = 0 }] of ports.entries()) {
      const place = `${protocol}/${hostIP}/${hostPort}`
      if (hostPort === 0) continue
      if (taken.has(place)) errors.push(duplicate(`spec.containers[${index}].ports[${at}].hostPort`, place))
      taken.add(place)
    }
  }
  return errors
}

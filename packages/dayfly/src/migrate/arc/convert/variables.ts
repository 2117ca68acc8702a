// Converts the variables of the runner. A credential that is written as a value becomes a reference to a Secret.
import { isJsonObject, type JsonObject, listAt, textAt } from '@dayfly/kit/read-json'
import { type FoundContainer, isKubernetesMode, modeOf } from './containers.ts'
import type { Context } from './context.ts'
import { isCredential } from './credentials.ts'

/** The variables by which a runner finds the Docker engine of the chart. */
const ofDocker: ReadonlySet<string> = new Set([
  'DOCKER_HOST',
  'DOCKER_TLS_VERIFY',
  'DOCKER_CERT_PATH',
  'DOCKER_TLS_CERTDIR',
  'RUNNER_WAIT_FOR_DOCKER_IN_SECONDS',
])
/** An engine of the same pod. A remote one stays. */
const inPod = /^(unix:|tcp:\/\/(localhost|127\.0\.0\.1)\b)/

const ownHooks =
  'It is kept. Without spec.jobs: pods, Dayfly makes no Role for the hooks and removes no pods of jobs: do both yourself.'

/** Returns whether ARC's chart sets this variable to this value in the modes for pods of jobs. */
function isOfMode(name: string, value: string | undefined): boolean {
  if (name === 'ACTIONS_RUNNER_CONTAINER_HOOKS') return /^\/home\/runner\/k8s(-novolume)?\/index\.js$/.test(value ?? '')
  if (name === 'ACTIONS_RUNNER_REQUIRE_JOB_CONTAINER') return value !== 'false'
  return name === 'ACTIONS_RUNNER_POD_NAME'
}

export function convertVariables(
  context: Context,
  container: FoundContainer,
  hasDocker: boolean,
): readonly JsonObject[] {
  const { ledger } = context
  const isKubernetes = isKubernetesMode(modeOf(context))
  return listAt(container.value, 'env').flatMap((entry, index) => {
    const path = [...container.path, 'env', index]
    const name = textAt(entry, 'name')
    if (!isJsonObject(entry) || name === undefined) {
      ledger.note('dropped', path, 'It has no name.')
      return []
    }
    const value = textAt(entry, 'value')
    if (
      hasDocker &&
      container.role === 'runner' &&
      ofDocker.has(name) &&
      (name !== 'DOCKER_HOST' || inPod.test(value ?? ''))
    ) {
      ledger.note('dropped', path, 'Dayfly sets DOCKER_HOST for its engine, which is ready before the runner starts.')
      return []
    }
    if (isKubernetes && isOfMode(name, value)) {
      ledger.note('dropped', path, 'spec.jobs: pods sets it.')
      return []
    }
    if (!isKubernetes && name === 'ACTIONS_RUNNER_CONTAINER_HOOKS' && value !== '') {
      ledger.note('decide', path, ownHooks)
    }
    return [isCredential(name, value) ? asReference(context, container, { name, index }) : entry]
  })
}

/** Notes the Secret with the value, and returns the variable that comes from it. */
export function asReference(
  context: Context,
  container: FoundContainer,
  { name, index }: { name: string; index: number },
): JsonObject {
  const secret = `${context.name.slice(0, 53)}-variables`
  const place = `${secret}, key ${name}`
  context.ledger.note(
    'changed',
    [...container.path, 'env', index],
    `The value looks like a credential. The variable now comes from the Secret ${place}.`,
  )
  context.want({
    name: secret,
    why: `The value of ${name}, which is written in the input.`,
    from: { options: [`--from-file=${name}=FILE`] },
  })
  return { name, valueFrom: { secretKeyRef: { name: secret, key: name } } }
}

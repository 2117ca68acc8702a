// Views the pods of ARC's older generation (actions.summerwind.dev). Its controller adds the runner and a Docker daemon to what is written,
// never restarts them, and deletes the pod when the runner has ended.
// https://github.com/actions/actions-runner-controller/blob/master/controllers/actions.summerwind.net/runner_controller.go
import { fieldsAt, type JsonObject, listAt, type Path, textAt, valueAt } from '@dayfly/kit/read-json'
import type { ObjectFact } from '../facts.ts'
import type { ContainerView, PodOwner } from '../pod-view.ts'
import { viewContainer, viewContainers, viewList } from './pod-view-containers.ts'

/** The path of the pod template (metadata and spec) in a kind. */
export type Shape = { readonly owner: PodOwner; readonly template: Path }

const group = 'actions.summerwind.dev'

export const olderShapes: Readonly<Record<string, Shape>> = {
  [`${group}/Runner`]: { owner: 'arc', template: [] },
  [`${group}/RunnerDeployment`]: { owner: 'arc', template: ['spec', 'template'] },
  [`${group}/RunnerReplicaSet`]: { owner: 'arc', template: ['spec', 'template'] },
  [`${group}/RunnerSet`]: { owner: 'arc', template: ['spec', 'template'] },
}

/** The hook of the daemon waits until the runner has removed its registration, by default for less than the default grace period. */
const hook = `timeout "\${RUNNER_GRACEFUL_STOP_TIMEOUT:-15}" /bin/sh -c "while [ -f /runner/.runner ]; do sleep 1; done"`
/** The controller's own images, if none is written. */
const runnerImage = 'summerwind/actions-runner:latest'
const dockerImage = 'docker:dind'

/** Returns undefined for any other kind. */
export function viewOlderRunner(
  { object, raw }: ObjectFact,
  spec: JsonObject,
  path: Path,
): ContainerView[] | undefined {
  if (!object.apiVersion.startsWith(`${group}/`)) return undefined
  // A RunnerSet separates its own fields from those of the pod.
  const own = object.kind === 'RunnerSet' ? (fieldsAt(raw, 'spec') ?? {}) : spec
  const inCluster = own['containerMode'] === 'kubernetes'
  const inRunner = own['dockerdWithinRunnerContainer'] === true && !inCluster
  const beside = own['dockerEnabled'] !== false && !inCluster && !inRunner
  const written = [...viewContainers(spec, path), ...viewList(spec, path, 'sidecarContainers')]
    .filter(({ name, role }) => name !== 'docker' || role !== 'container' || beside)
    .map((container) => withImage(container, own))
    .map((container) => (container.role === 'container' && container.name !== 'runner' ? ended(container) : container))
  const missing = [
    ...(written.some(({ name }) => name === 'runner') ? [] : [runner(own, inRunner)]),
    ...(beside && !written.some(({ name }) => name === 'docker') ? [docker(own)] : []),
  ]
  // No list has these entries, so an edit of one is refused, and a finding in one is shown at the spec.
  const begin = listAt(spec, 'containers').length + 1
  const lives = own['ephemeral'] === false ? 'many-jobs' : 'one-job'
  const added = missing.map(
    (raw, index): ContainerView => ({
      ...viewContainer(raw, [...path, 'containers', begin + index], false),
      added: lives,
    }),
  )
  return [...written, ...added.map((container) => (container.name === 'docker' ? ended(container) : container))]
}

function ended(container: ContainerView): ContainerView {
  return { ...container, endsWithRunner: true }
}

/** The controller completes the containers that it knows by their names. */
function withImage(container: ContainerView, own: JsonObject): ContainerView {
  if (container.image !== undefined || container.role !== 'container') return container
  if (container.name === 'runner') return { ...container, image: textAt(own, 'image') ?? runnerImage }
  return container.name === 'docker' ? { ...container, image: dockerImage } : container
}

function runner(own: JsonObject, withDocker: boolean): JsonObject {
  return {
    name: 'runner',
    image: textAt(own, 'image') ?? runnerImage,
    env: listAt(own, 'env'),
    volumeMounts: listAt(own, 'volumeMounts'),
    securityContext: { privileged: withDocker },
  }
}

function docker(own: JsonObject): JsonObject {
  const shared = [
    { name: 'runner', mountPath: '/runner' },
    { name: 'work', mountPath: textAt(own, 'workDir') ?? '/runner/_work' },
  ]
  return {
    name: 'docker',
    image: dockerImage,
    args: ['dockerd', '--host=unix:///run/docker.sock'],
    env: listAt(own, 'dockerEnv'),
    volumeMounts: [...listAt(own, 'dockerVolumeMounts'), ...shared],
    securityContext: { privileged: valueAt(own, 'securityContext', 'seLinuxOptions') === undefined },
    lifecycle: { preStop: { exec: { command: ['/bin/sh', '-c', hook] } } },
  }
}

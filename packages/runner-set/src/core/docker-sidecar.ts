// The Docker Engine of a set: a native sidecar, which ends with the runner (docs/reference/docker.md#s4).
import type { RunnerTraits } from '../model/forges/traits.ts'
import type { DockerEngine, DockerKind } from '../model/runner-set.ts'
import { rootlessFields, rootlessStart } from './docker-rootless.ts'

type Plain = Readonly<Record<string, unknown>>

/** The sidecar, and the container of a template that changes it. */
export const dockerContainer = 'docker'

const image = 'docker:28.5.2-dind'
const dataRoot = '/var/lib/docker'
const dataVolume = 'dayfly-docker-data'
/** The job's containers mount the engine's own socket. The runner reaches the same engine by a socket in a shared folder. */
const ownSocket = '/var/run/docker.sock'
const sharedFolder = '/run/dayfly-docker'
const sharedSocket = `unix://${sharedFolder}/docker.sock`
/** The engine mounts paths of the job into its containers, so both see the work folder at one path. */
export const workFolder = '/home/runner/_work'

/** The entrypoint of Docker's own image prepares control groups. */
const privilegedStart =
  'if command -v dockerd-entrypoint.sh >/dev/null; then set -- dockerd-entrypoint.sh "$@"; fi; exec docker-init -- "$@"'

/** The differences of the two kinds. An init is PID 1 in both, because dockerd does not reap. */
const kinds = {
  sidecar: { start: privilegedStart, container: { securityContext: { privileged: true } }, pod: {} },
  rootless: { start: rootlessStart, ...rootlessFields },
} as const

/** A PID file in a volume outlives a killed engine, and the next one refuses to start (docs/reference/docker.md#s3-1). */
const engineArguments = [
  'dockerd',
  `--host=unix://${ownSocket}`,
  `--host=${sharedSocket}`,
  '--group=$(DOCKER_GROUP_GID)',
  '--pidfile=/tmp/docker.pid',
  '--exec-root=/tmp/docker',
]

const sharedMounts = [
  { name: 'dayfly-docker-socket', mountPath: sharedFolder },
  { name: 'dayfly-work', mountPath: workFolder },
]

/** Returns the parts of a pod that the engine adds. A template is merged over them. */
export function dockerSpec(kind: Exclude<DockerKind, 'none'>, engine: DockerEngine): Plain {
  const { start, container, pod } = kinds[kind]
  const sidecar = {
    name: dockerContainer,
    image,
    command: ['/bin/sh', '-c', start, dockerContainer],
    args: [...engineArguments, ...registryArguments(engine)],
    env: [{ name: 'DOCKER_GROUP_GID', value: '123' }],
    restartPolicy: 'Always',
    ...container,
    startupProbe: {
      exec: { command: ['docker', 'info'] },
      periodSeconds: 1,
      timeoutSeconds: 5,
      failureThreshold: 60,
    },
    resources: { requests: { cpu: '100m', memory: '256Mi' } },
    volumeMounts: [...sharedMounts, { name: dataVolume, mountPath: dataRoot }],
  }
  return {
    // Longer than the 10 s for which an engine waits for its containers.
    terminationGracePeriodSeconds: 30,
    ...pod,
    initContainers: [sidecar],
    volumes: [
      { name: 'dayfly-docker-socket', emptyDir: {} },
      { name: 'dayfly-work', emptyDir: {} },
      { name: dataVolume, ...dataSource(engine.storage) },
    ],
  }
}

function registryArguments({ mirror, insecureRegistries }: DockerEngine): readonly string[] {
  return [
    ...(mirror === undefined ? [] : [`--registry-mirror=${mirror}`]),
    ...insecureRegistries.map((registry) => `--insecure-registry=${registry}`),
  ]
}

/** A claim of the pod's own ends with the pod. */
function dataSource({ size, storageClass }: DockerEngine['storage']): Plain {
  if (storageClass === undefined) return { emptyDir: { sizeLimit: size } }
  const resources = { requests: { storage: size } }
  const spec = { accessModes: ['ReadWriteOnce'], storageClassName: storageClass, resources }
  return { ephemeral: { volumeClaimTemplate: { spec } } }
}

/** A job's containers write their output to these files. */
const outputMount = {
  name: dataVolume,
  mountPath: `${dataRoot}/containers`,
  subPath: 'containers',
  readOnly: true,
}

/** Returns the fields of the runner container by which it uses the engine. */
export function dockerForRunner({ readsEngineFiles }: Pick<RunnerTraits, 'readsEngineFiles'>): Plain {
  return {
    env: [{ name: 'DOCKER_HOST', value: sharedSocket }],
    volumeMounts: readsEngineFiles ? [...sharedMounts, outputMount] : sharedMounts,
  }
}

/** Makes an ordinary container named `docker` of a template a change of the sidecar: two containers may not have one name. */
export function withDockerAsSidecar(spec: Plain): Plain {
  const { containers, initContainers } = spec
  if (!Array.isArray(containers)) return spec
  const isDocker = (container: unknown) =>
    typeof container === 'object' && container !== null && 'name' in container && container.name === dockerContainer
  const docker = containers.filter(isDocker)
  if (docker.length === 0) return spec
  const init = Array.isArray(initContainers) ? initContainers : []
  return {
    ...spec,
    containers: containers.filter((container) => !isDocker(container)),
    initContainers: [...init, ...docker],
  }
}

// Finds pods of one template whose Docker daemons store their data in one volume. A daemon needs its data root for itself.
import { listAt, numberAt, textAt, valueAt } from '@dayfly/kit/read-json'
import type { ObjectFact } from '../facts.ts'
import type { Hit } from '../finding.ts'
import type { ContainerView, PodView } from '../pod-view.ts'
import { dockerRoot, foldersOf, runsDocker } from '../pods/docker-root.ts'
import { type ConfigMaps, configMapsIn, mountedFiles } from '../pods/mounted-scripts.ts'
import { hitIn, isWhole, writtenPods } from '../pods/pod-parts.ts'
import { objectsOf } from '../read/objects/by-kind.ts'
import type { Rule } from '../rule.ts'

const scalerKinds = ['HorizontalRunnerAutoscaler', 'HorizontalPodAutoscaler']

export const rule: Rule = {
  slug: 'docker-root-shared',
  code: 'POD120',
  title: 'Several Docker daemons store their data in one volume',
  severity: 'error',
  confidence: 'high',
  modes: ['static', 'live'],
  fix: 'none',
  isCrossObject: true,
  check: (facts) => {
    const configMaps = configMapsIn(facts.objects)
    const scalers = scalerKinds.flatMap((kind) => objectsOf(facts, kind))
    const several = writtenPods(facts).filter((pod) => isWhole(pod) && (areSeveral(pod) || isScaled(pod, scalers)))
    return { hits: several.flatMap((pod) => check(pod, configMaps)) }
  },
}

function check(pod: PodView, configMaps: ConfigMaps): readonly Hit[] {
  const fileAt = mountedFiles(pod.volumes, pod.object.namespace, configMaps)
  return pod.containers.flatMap((container) => {
    const root = runsDocker(container, pod) ? dockerRoot(container, pod, fileAt) : undefined
    const volume = root === undefined ? undefined : volumeAt(root, container, pod)
    const where = volume && sharedPlace(volume.raw, pod)
    if (!volume || where === undefined) return []
    return [
      hitIn(pod, {
        path: volume.path,
        container: container.name,
        message: `Each pod of this template runs a Docker daemon on ${where}, and there may be several. A daemon needs its data root for itself: the second one does not start, or both damage the data, and jobs wait. Give each pod a volume of its own: an ephemeral claim, or an emptyDir with a sizeLimit.`,
      }),
    ]
  })
}

/** Returns the volume with the folder; undefined also if each pod has its own part of it. */
function volumeAt(root: string, container: ContainerView, pod: PodView) {
  const folder = foldersOf(root).find((path) => container.mounts[path] !== undefined)
  const mount = listAt(container.raw, 'volumeMounts').find(
    (each) => textAt(each, 'mountPath')?.replace(/(?<=.)\/+$/, '') === folder,
  )
  if (folder === undefined || textAt(mount, 'subPathExpr') !== undefined) return undefined
  return pod.volumes.find(({ name }) => name === container.mounts[folder])
}

/** Returns a description of what all pods mount; undefined for a volume of the pod's own. */
function sharedPlace(volume: PodView['volumes'][number]['raw'], pod: PodView): string | undefined {
  const claim = textAt(volume, 'persistentVolumeClaim', 'claimName')
  if (claim !== undefined) return `the claim ${claim}`
  const server = textAt(volume, 'nfs', 'server')
  if (server !== undefined) return `the NFS server ${server}`
  const folder = textAt(volume, 'hostPath', 'path')
  if (folder === undefined || isAloneOnNode(pod)) return undefined
  return `the folder ${folder} of its node`
}

/** Whether two pods of the template never share a node. */
function isAloneOnNode({ raw, path, object, containers }: PodView): boolean {
  const required = 'requiredDuringSchedulingIgnoredDuringExecution'
  const terms = listAt(raw, ...path, 'affinity', 'podAntiAffinity', required)
  const ports = containers.flatMap((container) => listAt(container.raw, 'ports'))
  return (
    object.kind === 'DaemonSet' ||
    (valueAt(raw, ...path, 'hostNetwork') === true && ports.length > 0) ||
    terms.some((term) => textAt(term, 'topologyKey') === 'kubernetes.io/hostname') ||
    ports.some((port) => numberAt(port, 'hostPort') !== undefined)
  )
}

/** Whether several pods of the template may run at a time. A scaler without a written maximum has many. */
function areSeveral({ raw, object: { kind }, owner }: PodView): boolean {
  const at = (...path: readonly string[]) => numberAt(raw, ...path)
  switch (kind) {
    case 'DaemonSet':
      return true
    case 'Deployment':
    case 'StatefulSet':
    case 'ReplicaSet':
    case 'ReplicationController':
    case 'RunnerDeployment':
    case 'RunnerReplicaSet':
      return (at('spec', 'replicas') ?? 1) > 1
    case 'Job':
      return (at('spec', 'parallelism') ?? 1) > 1
    case 'ScaledJob':
      return at('spec', 'maxReplicaCount') !== 1
    case 'AutoscalingRunnerSet':
      return at('spec', 'maxRunners') !== 1
    case 'Values':
      return at('maxRunners') !== 1
    case 'RunnerSet':
      return owner === 'RunnerSet' ? at('spec', 'scale', 'max') !== 1 : (at('spec', 'replicas') ?? 1) > 1
    default:
      return false
  }
}

/** Whether an autoscaler of the input may give the object several pods. */
function isScaled({ object }: PodView, scalers: readonly ObjectFact[]): boolean {
  return scalers.some(
    ({ object: scaler, raw }) =>
      scaler.namespace === object.namespace &&
      textAt(raw, 'spec', 'scaleTargetRef', 'name') === object.name &&
      (textAt(raw, 'spec', 'scaleTargetRef', 'kind') ?? 'RunnerDeployment') === object.kind &&
      numberAt(raw, 'spec', 'maxReplicas') !== 1,
  )
}

// Finds Docker daemons whose data has no size limit: images and layers can fill the node's disk, or its memory.
import { fieldsAt, textAt, valueAt } from '@dayfly/kit/read-json'
import type { Hit } from '../finding.ts'
import type { ContainerView, PodView } from '../pod-view.ts'
import { dockerRoot, foldersOf, runsDocker } from '../pods/docker-root.ts'
import { type ConfigMaps, configMapsIn, type FileAt, mountedFiles } from '../pods/mounted-scripts.ts'
import { hitIn, isWhole, writtenPods } from '../pods/pod-parts.ts'
import { takenSocket } from '../pods/taken-socket.ts'
import type { Rule } from '../rule.ts'

export const rule: Rule = {
  slug: 'docker-root-unbounded',
  code: 'POD114',
  title: "Docker's data has no size limit",
  severity: 'warning',
  confidence: 'medium',
  modes: ['static', 'live'],
  fix: 'none',
  isCrossObject: true,
  check: (facts) => {
    const configMaps = configMapsIn(facts.objects)
    return { hits: writtenPods(facts).flatMap((pod) => check(pod, configMaps)) }
  },
}

function check(pod: PodView, configMaps: ConfigMaps): readonly Hit[] {
  if (!isWhole(pod)) return []
  const fileAt = mountedFiles(pod.volumes, pod.object.namespace, configMaps)
  return pod.containers.flatMap((container) => {
    if (!runsDocker(container, pod) || takenSocket(container, pod)) return []
    const problem = problemOf(container, pod, fileAt)
    if (problem === undefined) return []
    const absent = ['args', 'resources', 'volumeMounts'].map((key) => [...container.path, key])
    return [hitIn(pod, { path: problem.path, container: container.name, message: problem.message, absent })]
  })
}

function problemOf(container: ContainerView, pod: PodView, fileAt: FileAt) {
  const root = dockerRoot(container, pod, fileAt)
  if (root === undefined) return undefined
  const name = foldersOf(root)
    .map((path) => container.mounts[path])
    .find(Boolean)
  const volume = pod.volumes.find((each) => each.name === name)
  const isLimited = (resource: string) => valueAt(container.raw, 'resources', 'limits', resource) !== undefined
  if (name === undefined) return isLimited('ephemeral-storage') ? undefined : unmounted(container, root)
  const emptyDir = volume && fieldsAt(volume.raw, 'emptyDir')
  if (!volume || !emptyDir || textAt(emptyDir, 'sizeLimit') !== undefined) return undefined
  const path = [...volume.path, 'emptyDir']
  if (textAt(emptyDir, 'medium') !== 'Memory') {
    if (isLimited('ephemeral-storage')) return undefined
    return {
      path,
      message: `The volume ${volume.name} with Docker's data has no sizeLimit. One build can fill the node's disk, and the kubelet then evicts other pods. Set a sizeLimit.`,
    }
  }
  // The kernel counts the files of such a volume as memory of the container that writes them.
  if (isLimited('memory')) return undefined
  return {
    path,
    message: `The volume ${volume.name} with Docker's data is in memory and has no sizeLimit. Images and layers can use up the node's memory. Set a sizeLimit, or store them on disk.`,
  }
}

/** A pod for one job takes its data with it. The controller of the older ARC adds the daemon, so its manifest has only the mounts. */
function unmounted({ name, path, added }: ContainerView, root: string) {
  if (added === 'one-job') return undefined
  const advice =
    added === undefined
      ? 'Mount an emptyDir with a sizeLimit there.'
      : 'Add an emptyDir with a sizeLimit to volumes, and mount it there with dockerVolumeMounts.'
  return {
    path,
    message: `${name} stores images and layers at ${root}, which has no size limit. One build can fill the node's disk, and the kubelet then evicts other pods. ${advice}`,
  }
}

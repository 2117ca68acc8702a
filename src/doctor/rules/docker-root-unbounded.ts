// Finds Docker daemons whose data has no size limit: images and layers can fill the node's disk.

import { fieldsAt, textAt, valueAt } from '../../lib/read-json.ts'
import type { Hit } from '../finding.ts'
import type { ContainerView, PodView } from '../pod-view.ts'
import { daemonOf, imageParts } from '../pods/daemon.ts'
import { hitIn, isWhole, writtenPods } from '../pods/pod-parts.ts'
import type { Rule } from '../rule.ts'

export const rule: Rule = {
  slug: 'docker-root-unbounded',
  code: 'POD114',
  title: "Docker's data has no size limit",
  severity: 'warning',
  confidence: 'medium',
  modes: ['static', 'live'],
  fix: 'none',
  check: (facts) => ({ hits: writtenPods(facts).flatMap(check) }),
}

function check(pod: PodView): readonly Hit[] {
  if (!isWhole(pod) || !(pod.isRunner || pod.runsToCompletion)) return []
  return pod.containers.flatMap((container) => {
    if (daemonOf(container, pod)?.engine !== 'docker') return []
    const problem = problemOf(container, pod)
    if (problem === undefined) return []
    const absent = ['args', 'resources', 'volumeMounts'].map((key) => [...container.path, key])
    return [hitIn(pod, { path: problem.path, container: container.name, message: problem.message, absent })]
  })
}

function problemOf(container: ContainerView, pod: PodView) {
  const written = container.words.map((word) => /^--data-root=(.+)$/.exec(word)?.[1]).find(Boolean)
  const root = written ?? (isRootless(container, pod) ? rootlessRootIn(container) : '/var/lib/docker')
  if (valueAt(container.raw, 'resources', 'limits', 'ephemeral-storage') !== undefined) return undefined
  const name = parentsOf(root)
    .map((path) => container.mounts[path])
    .find(Boolean)
  const volume = pod.volumes.find((each) => each.name === name)
  if (name === undefined) {
    return {
      path: container.path,
      message: `${container.name} stores images and layers at ${root}, which has no size limit. One build can fill the node's disk, and the kubelet then evicts other pods. Mount an emptyDir with a sizeLimit there.`,
    }
  }
  const isEmptyDir = volume !== undefined && fieldsAt(volume.raw, 'emptyDir') !== undefined
  if (!isEmptyDir || textAt(volume.raw, 'emptyDir', 'sizeLimit') !== undefined) return undefined
  return {
    path: [...volume.path, 'emptyDir'],
    message: `The volume ${volume.name} with Docker's data has no sizeLimit. One build can fill the node's disk, and the kubelet then evicts other pods. Set a sizeLimit.`,
  }
}

/** The data root of a rootless daemon in Docker's own image: it is in the home directory of the daemon's user. */
const rootlessRoot = '/home/rootless/.local/share/docker'

/** Returns the data root in the mounted home directory of any user. */
function rootlessRootIn({ mounts }: ContainerView): string {
  const home = Object.keys(mounts).find((path) => /^\/home\/[^/]+\/?$/.test(path))
  return home === undefined ? rootlessRoot : `${home.replace(/\/$/, '')}/.local/share/docker`
}

function isRootless({ image, words, mounts, raw }: ContainerView, pod: PodView): boolean {
  const user =
    valueAt(raw, 'securityContext', 'runAsUser') ?? valueAt(pod.raw, ...pod.path, 'securityContext', 'runAsUser')
  return (
    /rootless/.test(imageParts(image).tag) ||
    words.some((word) => /dockerd-rootless/.test(word)) ||
    rootlessRoot in mounts ||
    (typeof user === 'number' && user > 0)
  )
}

/** Returns the folder and its parents, innermost first, without the root of the file system. */
function parentsOf(folder: string): readonly string[] {
  const names = folder.split('/').filter((name) => name !== '')
  return names.map((_, index) => `/${names.slice(0, names.length - index).join('/')}`)
}

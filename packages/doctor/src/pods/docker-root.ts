// Finds where a Docker daemon stores its data: as root, or rootless in the home directory of its user.
import { valueAt } from '@dayfly/kit/read-json'
import { imageParts } from '@dayfly/runner-set/model/container-engine'
import type { ContainerView, PodView } from '../pod-view.ts'

/** The data root of a rootless daemon in Docker's own image: it is in the home directory of the daemon's user. */
const rootlessRoot = '/home/rootless/.local/share/docker'

/** Returns the folder of images and layers. */
export function dockerRoot(container: ContainerView, pod: PodView): string {
  const written = container.words.map((word) => /^--data-root=(.+)$/.exec(word)?.[1]).find(Boolean)
  return written ?? (isRootless(container, pod) ? rootlessRootIn(container) : '/var/lib/docker')
}

export function isRootless({ image, words, mounts, raw }: ContainerView, pod: PodView): boolean {
  const user =
    valueAt(raw, 'securityContext', 'runAsUser') ?? valueAt(pod.raw, ...pod.path, 'securityContext', 'runAsUser')
  return (
    /rootless/.test(imageParts(image).tag) ||
    words.some((word) => /dockerd-rootless/.test(word)) ||
    rootlessRoot in mounts ||
    (typeof user === 'number' && user > 0)
  )
}

/** Returns the data root in the mounted home directory of any user. */
function rootlessRootIn({ mounts }: ContainerView): string {
  const home = Object.keys(mounts).find((path) => /^\/home\/[^/]+\/?$/.test(path))
  return home === undefined ? rootlessRoot : `${home.replace(/\/$/, '')}/.local/share/docker`
}

// Which containers are daemons of a container engine: they never end by themselves, whatever the pod waits for.
import { textsAt } from './fields.ts'
import type { ContainerView, Daemon, PodView } from './pod-view.ts'

/** A pod as far as its daemons are told from it. */
type Seen = Omit<PodView, 'daemons'>

/** The daemon that this container is, or undefined: also when a script ends it with the work, or when it is the runner itself. */
export function daemonOf(container: ContainerView, pod: PodView): Daemon | undefined {
  return pod.daemons.get(container)
}

/** For the pod's view, as many rules ask for each container. */
export function findDaemons(pod: Seen): PodView['daemons'] {
  const found = new Map<ContainerView, Daemon>()
  for (const container of pod.containers) {
    const daemon = recognise(container, pod)
    if (daemon) found.set(container, daemon)
  }
  return found
}

function recognise(container: ContainerView, pod: Seen): Daemon | undefined {
  if (container.name === pod.runner || endsWithTheWork(container, pod)) return undefined
  if (runsDockerd(container)) return { engine: 'docker', confidence: 'high' }
  if (runsBuildkitd(container)) return { engine: 'buildkit', confidence: 'high' }
  if (sharesSocket(container, pod)) return { engine: 'docker', confidence: 'medium' }
  return undefined
}

/** Repository name and tag of an image, without registry and digest. */
export function imageParts(image: string | undefined): { readonly name: string; readonly tag: string } {
  const last = (image ?? '').replace(/@.*$/, '').split('/').at(-1) ?? ''
  const colon = last.indexOf(':')
  return colon < 0 ? { name: last, tag: '' } : { name: last.slice(0, colon), tag: last.slice(colon + 1) }
}

const dockerd = /(^|[\s/;&|(])dockerd(-entrypoint\.sh|-rootless\.sh|-entrypoint|-rootless)?(?=$|[\s;&|)])/

function runsDockerd(container: ContainerView): boolean {
  if (scriptsOf(container).some((word) => dockerd.test(withoutQueries(word)))) return true
  if (textsAt(container.raw, 'command').length > 0) return false
  const [first] = textsAt(container.raw, 'args')
  return isDindImage(container.image) && (first === undefined || first.startsWith('-'))
}

/** The engine's own image: `docker:dind`, `docker:27.3-dind-rootless`, `mirror/dind:1`; not a runner that has an engine inside. */
function isDindImage(image: string | undefined): boolean {
  const { name, tag } = imageParts(image)
  if (/runner|agent/.test(name)) return false
  return (name === 'docker' && /(^|-)dind(-|$)/.test(tag)) || /(^|-)dind(-|$)/.test(name)
}

function runsBuildkitd(container: ContainerView): boolean {
  if (scriptsOf(container).some((word) => /(^|[\s/;&|])buildkitd(?=$|[\s;&|])/.test(withoutQueries(word)))) return true
  return imageParts(container.image).name === 'buildkit' && textsAt(container.raw, 'command').length === 0
}

/** The words of a container, each as far as it is worth reading. */
export function scriptsOf(container: ContainerView): readonly string[] {
  return container.words.map((word) => word.slice(0, 10_000))
}

/** A script that looks for a daemon, or ends one, is not one. */
function withoutQueries(word: string): string {
  return word.replace(/\b(pkill|pgrep|killall|pidof|command -v|which)\b[^;&|\n]*/g, '')
}

/** A daemon in the background of a script ends with the script; one in a shared PID namespace ends when a neighbour ends it. */
function endsWithTheWork(container: ContainerView, pod: Seen): boolean {
  if (scriptsOf(container).some((word) => /\b(dockerd|buildkitd)\b[^\n;]*?[^&>]&(?![&>])/.test(`${word} `))) return true
  if (!pod.shareProcessNamespace) return false
  const kills = /\b(pkill|killall|kill)\b[^;&|\n]*\b(dockerd|buildkitd)\b|\bkill\b[^;&|\n]*(pidof|pgrep)/
  return pod.containers.some((other) => other !== container && scriptsOf(other).some((word) => kills.test(word)))
}

const socketFolders = /^(\/var)?\/run(\/docker(\.sock)?)?\/?$/

function sharesSocket(container: ContainerView, pod: Seen): boolean {
  if (!container.privileged || !/^(docker|dind|docker-dind|docker-daemon|dockerd)$/.test(container.name)) return false
  if (container.words.length > 0) return false
  const shared = Object.entries(container.mounts).filter(([path]) => socketFolders.test(path))
  return shared.some(([, volume]) => {
    const source = pod.volumes.find((each) => each.name === volume)?.raw
    if (source && 'hostPath' in source) return false
    return pod.containers.some((other) => other !== container && Object.values(other.mounts).includes(volume))
  })
}

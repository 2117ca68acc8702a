// Finds the address of a Docker daemon, and the command with which its own container can query it.
import { textsAt, valueAt } from '@dayfly/kit/read-json'
import { imageParts } from '@dayfly/runner-set/model/container-engine'
import type { ContainerView, PodView } from '../pod-view.ts'
import { commandsOf, programOf } from '../read/shell/commands.ts'
import { isUnknown } from '../read/template/template-value.ts'

const defaultSocket = 'unix:///var/run/docker.sock'

/** Returns undefined if nothing is certain: behind TLS, rootless without its own socket, or with an address from a variable or a template. */
export function dockerProbe(container: ContainerView, pod: PodView): readonly string[] | undefined {
  const words = container.words.join(' ').slice(0, 10_000)
  const variables = ['DOCKER_TLS_VERIFY', 'DOCKER_CONTEXT', 'DOCKER_CERT_PATH']
  if (variables.some((name) => name in container.env) || /--(tls|config-file)/.test(words)) return undefined
  const asked = 'DOCKER_HOST' in container.env ? container.env['DOCKER_HOST'] : defaultSocket
  const host = hostOf(container, pod, words)
  if (asked === undefined || host === undefined || /[$\s"']/.test(host) || isUnknown(asked + host)) return undefined
  return samePlace(asked) === samePlace(host) ? ['docker', 'info'] : ['docker', `--host=${host}`, 'info']
}

/** In Docker's own images, /var/run is a link to /run. */
function samePlace(host: string): string {
  return host.replace(/^unix:\/\/\/run\//, 'unix:///var/run/')
}

function hostOf(container: ContainerView, pod: PodView, words: string): string | undefined {
  const written = [...words.matchAll(/(?:^|\s)(?:--host|-H)(?:=|\s*)["']?([^\s"']+)/g)].flatMap(
    ([, host]) => host ?? [],
  )
  const socket = written.map(asSocket).find((host) => host !== undefined)
  if (socket !== undefined) return socket
  if (written.length === 0 || isThroughEntryPoint(container)) return ownSocket(container, pod, words)
  // A container reaches its own listeners on the loopback address, unless an address names another interface.
  const [, port = '2375'] =
    written.map((host) => /^tcp:\/\/(?:0\.0\.0\.0|127\.0\.0\.1|localhost)?(?::(\d+))?$/.exec(host)).find(Boolean) ?? []
  return written.some((host) => /^tcp:\/\/(0\.0\.0\.0|127\.0\.0\.1|localhost|:|$)/.test(host))
    ? `tcp://127.0.0.1:${port}`
    : undefined
}

function asSocket(host: string): string | undefined {
  if (host === 'unix://') return defaultSocket
  return host.startsWith('unix:///') ? host : undefined
}

/**
 * Returns the socket that the daemon opens without a flag. `dockerd-entrypoint.sh` uses the socket of DOCKER_HOST.
 * A rootless daemon opens a socket of its user, which is 1000 in its own image.
 */
function ownSocket(container: ContainerView, pod: PodView, words: string): string | undefined {
  const host = container.env['DOCKER_HOST']
  if (host?.startsWith('unix://') && isThroughEntryPoint(container)) return host
  const users = [
    valueAt(container.raw, 'securityContext', 'runAsUser'),
    valueAt(pod.raw, ...pod.path, 'securityContext', 'runAsUser'),
  ]
  const { name, tag } = imageParts(container.image)
  const isRootless = /rootless/.test(`${tag} ${name} ${words}`)
  const user = users.find((each) => each !== undefined) ?? (isRootless ? 1000 : 0)
  if (!isRootless) return user === 0 ? defaultSocket : undefined
  const isOwnImage = name === 'docker' && isThroughEntryPoint(container) && !('XDG_RUNTIME_DIR' in container.env)
  return isOwnImage && user === 1000 ? 'unix:///run/user/1000/docker.sock' : undefined
}

/** Whether the entry point starts the daemon. It then opens a socket in addition to the given hosts. */
function isThroughEntryPoint(container: ContainerView): boolean {
  const isFlag = (word: string | undefined) => word === undefined || word.startsWith('-')
  if (textsAt(container.raw, 'command').length === 0) return isFlag(container.words[0])
  return commandsOf(container).some(
    (command) => /^dockerd-entrypoint(\.sh)?$/.test(programOf(command)) && isFlag(command.words[1]),
  )
}

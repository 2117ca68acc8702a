// Converts the Docker engine of a template to changes of Dayfly's own sidecar.
import { isJsonObject, type JsonObject, listAt, type Path, textAt, textsAt } from '@dayfly/kit/read-json'
import { imageParts } from '@dayfly/runner-set/model/container-engine'
import { type FoundContainer, wordsOf } from './containers.ts'
import type { Context } from './context.ts'
import { isCredential } from './credentials.ts'
import { dockerContainer } from './default-pod.ts'
import { asReference } from './variables.ts'
import { convertMounts, type Volumes } from './volumes.ts'

/** Returns the container `docker` for the template; undefined if the sidecar stays as it is. */
export function convertEngine(context: Context, engine: FoundContainer, volumes: Volumes): JsonObject | undefined {
  const { ledger } = context
  const { value, path } = engine
  const at = (key: string): Path => [...path, key]
  const out: Record<string, unknown> = {}
  const isRootless = /rootless/.test(textAt(value, 'image') ?? '')
  for (const key of Object.keys(value)) {
    const member = value[key]
    if (key === 'name')
      ledger.note('changed', at(key), `spec.docker: sidecar. The container is named ${dockerContainer}.`)
    else if (key === 'image') Object.assign(out, convertImage(context, engine, isRootless))
    else if (key === 'command' || key === 'args') continue
    else if (key === 'env') Object.assign(out, convertVariables(context, engine))
    else if (key === 'volumeMounts') Object.assign(out, mountsAsField(convertMounts(context, engine, volumes)))
    else if (key === 'startupProbe' || key === 'restartPolicy') {
      ledger.note('kept', at(key), "Dayfly's sidecar has its own: the runner starts when the engine answers.")
    } else if (key === 'securityContext' && (isRootless || isPrivilegedOnly(member))) {
      if (isRootless) ledger.note('decide', at(key), rootless)
      else ledger.note('kept', at(key), "Dayfly's sidecar is privileged, too.")
    } else {
      out[key] = member
      ledger.note('kept', at(key), `spec.template.spec.initContainers, container ${dockerContainer}`)
    }
  }
  Object.assign(out, convertArguments(context, engine))
  const group = wordsOf(value).flatMap((word) => /^--group=(\d+)$/.exec(word)?.[1] ?? [])[0]
  const variables = listAt(out, 'env')
  if (group !== undefined && group !== '123' && !variables.some((one) => textAt(one, 'name') === 'DOCKER_GROUP_GID')) {
    out['env'] = [...variables, { name: 'DOCKER_GROUP_GID', value: group }]
  }
  return Object.keys(out).length === 0 ? undefined : { name: dockerContainer, ...out }
}

const rootless =
  "Dayfly's sidecar is privileged. Set spec.docker to rootless for an engine without privilege, if the nodes have user namespaces."

function mountsAsField(mounts: readonly JsonObject[]): JsonObject {
  // The sidecar mounts the work folder itself.
  const own = mounts.filter((mount) => mount['name'] !== 'dayfly-work')
  return own.length > 0 ? { volumeMounts: own } : {}
}

function isPrivilegedOnly(context: unknown): boolean {
  return (
    isJsonObject(context) && Object.entries(context).every(([key, value]) => key === 'privileged' && value === true)
  )
}

/** A plain `docker:dind` is the engine of the chart. Any other image was a choice. */
function convertImage({ ledger, defaults }: Context, { value, path }: FoundContainer, isRootless: boolean): JsonObject {
  const image = textAt(value, 'image') ?? ''
  const at = [...path, 'image']
  if (isRootless) {
    ledger.note('decide', at, rootless)
    return {}
  }
  const isUsual = /^(docker\.io\/(library\/)?)?docker:dind$/.test(image) || imageParts(image).tag === ''
  if (isUsual && imageParts(image).name === 'docker') {
    ledger.note('changed', at, `The sidecar has a fixed version: ${textAt(defaults.docker, 'image')}.`)
    return {}
  }
  ledger.note('kept', at, `spec.template.spec.initContainers, container ${dockerContainer}`)
  return { image }
}

/** The variables by which the chart's engine opens its socket. Dayfly's engine has no TCP port, and so no certificates. */
const ownVariables: ReadonlyMap<string, string> = new Map(
  Object.entries({
    DOCKER_TLS_CERTDIR: "Dayfly's engine opens no TCP port, so it needs no certificates.",
    DOCKER_HOST: "Dayfly's engine has its own socket.",
  }),
)

function convertVariables(context: Context, engine: FoundContainer): JsonObject {
  const { ledger, defaults } = context
  const standard = listAt(defaults.docker, 'env')
  const kept = listAt(engine.value, 'env').flatMap((entry, index) => {
    const at = [...engine.path, 'env', index]
    const name = textAt(entry, 'name') ?? ''
    const value = textAt(entry, 'value')
    if (standard.some((one) => textAt(one, 'name') === name && textAt(one, 'value') === value)) {
      ledger.note('kept', at, "Dayfly's sidecar has the same variable.")
      return []
    }
    const own = ownVariables.get(name)
    if (own !== undefined) {
      ledger.note('dropped', at, own)
      return []
    }
    if (isCredential(name, value)) return [asReference(context, engine, { name, index })]
    ledger.note('kept', at, `spec.template.spec.initContainers, container ${dockerContainer}`)
    return [entry]
  })
  return kept.length > 0 ? { env: kept } : {}
}

const shells = /^(\/(usr\/)?bin\/)?(ba|a|da)?sh$/
/** Sockets and ports on which Dayfly's engine listens itself, or that nothing uses any more. */
const listeners =
  /^(-H|--host)(=|$)|^(unix|tcp):\/\/|^--tls(verify|cacert|cert|key)?(=|$)|^--group(=|$)|^\$\(DOCKER_GROUP_GID\)$/

/** A script that starts the engine and nothing else is read as its words. */
function wordsOfScript(words: readonly string[]): readonly string[] {
  const [shell = '', option, script = ''] = words
  if (!shells.test(shell) || option !== '-c' || words.length !== 3) return words
  const lines = script.split('\n').map((line) => line.trim())
  const [command, ...more] = lines.filter((line) => line !== '' && !/^(#|set -)/.test(line))
  const isPlain =
    command !== undefined && more.length === 0 && /^(exec )?dockerd(-entrypoint\.sh)?( [^'"|&;<>`\\]*)?$/.test(command)
  return isPlain ? command.replace(/^exec /, '').split(/\s+/) : words
}

/** Dayfly's own arguments stay, because they open the socket that the runner uses. */
function convertArguments({ ledger, defaults }: Context, { value, path }: FoundContainer): JsonObject {
  const words = wordsOfScript(wordsOf(value))
  const note = (is: 'kept' | 'changed' | 'decide', sentence: string) => {
    for (const key of ['command', 'args']) ledger.note(is, [...path, key], sentence)
  }
  if (words.some((word) => shells.test(word) || /\s/.test(word))) {
    note(
      'decide',
      "A script starts this engine. Dayfly's sidecar starts its own: write what the script adds to the args of the container docker.",
    )
    return {}
  }
  const own = textsAt(defaults.docker, 'args')
  const options = words.filter((word) => !/(^|\/)(dockerd|dockerd-entrypoint\.sh)$/.test(word) && !listeners.test(word))
  const extra = options.filter((word) => !own.includes(word))
  if (extra.length === 0) note('kept', "Dayfly's sidecar starts the engine in the same way, on its own socket.")
  else note('changed', `Dayfly's own arguments of dockerd come first, and these follow: ${extra.join(' ')}`)
  return extra.length === 0 ? {} : { args: [...own, ...extra] }
}

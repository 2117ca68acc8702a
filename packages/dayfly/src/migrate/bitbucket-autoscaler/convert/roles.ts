// Finds the runner and the Docker daemon among the containers of a template.
import { below, isMapping, type Mapping, type Value } from '../yaml/value.ts'

export type Role = 'runner' | 'docker' | 'daemon' | 'other'

export type FoundContainer = {
  readonly list: 'containers' | 'initContainers'
  readonly path: string
  readonly value: Mapping
  readonly role: Role
}

/** Returns the containers of a PodSpec in their order. At most one is the runner, and at most one is Docker. */
export function findContainers(spec: Mapping, path: string): readonly FoundContainer[] {
  const all = (['initContainers', 'containers'] as const).flatMap((list) => {
    const values = spec.get(list)
    if (!Array.isArray(values)) return []
    return values.flatMap((value: Value, index: number) =>
      isMapping(value) ? [{ list, path: below(below(path, list), index), value }] : [],
    )
  })
  const ordinary = all.filter(({ list }) => list === 'containers')
  const runner =
    ordinary.find(({ value }) => value.get('name') === 'runner') ??
    ordinary.find(({ value }) => /bitbucket-pipelines-runner/.test(textAt(value, 'image'))) ??
    ordinary.find(({ value }) => hasVariable(value, 'RUNNER_UUID'))
  const daemons = all.filter((one) => one !== runner && isDaemon(one.value))
  const docker = daemons.find(({ value }) => value.get('name') === 'docker') ?? daemons[0]
  return all.map((one) => {
    if (one === runner) return { ...one, role: 'runner' as const }
    if (one === docker) return { ...one, role: 'docker' as const }
    return { ...one, role: daemons.includes(one) ? ('daemon' as const) : ('other' as const) }
  })
}

/** A container that runs a Docker or BuildKit daemon by its image or its command. A mirror may give the image any name. */
function isDaemon(container: Mapping): boolean {
  const image = textAt(container, 'image')
  const words = [...wordsOf(container.get('command')), ...wordsOf(container.get('args'))].join(' ')
  if (/(^|[\s/;&|])(dockerd|buildkitd)(\s|$|-entrypoint)/.test(words)) return true
  const isNamedDocker = container.get('name') === 'docker'
  if (isNamedDocker && (/(^|\/)docker[:@]/.test(image) || (words === '' && isPrivileged(container)))) return true
  return /(^|[/:-])dind([-:@]|$)/.test(image)
}

function isPrivileged(container: Mapping): boolean {
  const context = container.get('securityContext')
  return isMapping(context) && context.get('privileged') === true
}

export function wordsOf(value: Value | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((word): word is string => typeof word === 'string') : []
}

function textAt(map: Mapping, key: string): string {
  const value = map.get(key)
  return typeof value === 'string' ? value : ''
}

function hasVariable(container: Mapping, name: string): boolean {
  const env = container.get('env')
  return Array.isArray(env) && env.some((entry: Value) => isMapping(entry) && entry.get('name') === name)
}

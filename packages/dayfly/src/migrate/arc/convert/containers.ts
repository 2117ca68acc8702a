// Finds the containers of a pod template and what each is for.
import { isJsonObject, type JsonObject, listAt, type Path, textAt, textsAt } from '@dayfly/kit/read-json'
import { engineOfImage, engineOfProgram } from '@dayfly/runner-set/model/container-engine'
import { runnerContainer } from '@dayfly/runner-set/model/runner-names'
import type { Context } from './context.ts'

export type FoundContainer = {
  readonly role: 'runner' | 'engine' | 'other'
  readonly list: 'containers' | 'initContainers'
  readonly path: Path
  readonly value: JsonObject
}

export const specPath: Path = ['template', 'spec']

/** Returns the containers in their order. At most one is the runner, and at most one is the Docker engine. */
export function findContainers({ values }: Pick<Context, 'values'>): readonly FoundContainer[] {
  const all = (['initContainers', 'containers'] as const).flatMap((list) =>
    listAt(values.root, ...specPath, list).flatMap((value, index) =>
      isJsonObject(value) ? [{ list, path: [...specPath, list, index], value }] : [],
    ),
  )
  const ordinary = all.filter(({ list }) => list === 'containers')
  const engines = all.filter(({ value }) => isEngine(value))
  const runner =
    ordinary.find(({ value }) => value['name'] === runnerContainer) ??
    ordinary.find((one) => !engines.includes(one) && /runner/.test(textAt(one.value, 'image') ?? '')) ??
    ordinary.find((one) => !engines.includes(one))
  const engine = engines.find((one) => one !== runner)
  return all.map((one) => ({ ...one, role: one === runner ? 'runner' : one === engine ? 'engine' : 'other' }))
}

/** A container that runs a Docker daemon: by its command, or by its image if it has no other command. */
function isEngine(container: JsonObject): boolean {
  const words = wordsOf(container)
  if (words.some((_, at) => engineOfProgram(words.slice(at)) === 'docker')) return true
  const text = words.join(' ')
  if (/(^|[\s/;&|])dockerd(-entrypoint(\.sh)?)?(\s|$)/.test(text)) return true
  return (
    (words.length === 0 || words[0]?.startsWith('-') === true) && engineOfImage(textAt(container, 'image')) === 'docker'
  )
}

export function wordsOf(container: JsonObject): readonly string[] {
  return [...textsAt(container, 'command'), ...textsAt(container, 'args')]
}

/** The mode of the chart. Empty: none. A set in a cluster shows it only by the account that the chart made for the pods of jobs. */
export function modeOf({ values, made }: Pick<Context, 'values' | 'made'>): string {
  return textAt(values.root, 'containerMode', 'type') ?? (made.kubernetesAccount === undefined ? '' : 'kubernetes')
}

export function isKubernetesMode(mode: string): boolean {
  return mode === 'kubernetes' || mode === 'kubernetes-novolume'
}

// Makes the pod template of one object of ARC's older generation, as its manager would make the pod.
import { fieldsAt, isJsonObject, type JsonObject, listAt, type Path, textAt, valueAt } from '@dayfly/kit/read-json'
import type { Values } from '../values.ts'
import { containerFields, fateOf, oldVariables, podFields } from './old-fields.ts'
import { type Making, noteField } from './old-making.ts'

/** A RunnerDeployment has the fields of container and pod side by side. A RunnerSet has a pod template. */
export function makePod(making: Making, values: Values, own: Path, kind: string): void {
  const metadata: Path = ['spec', 'template', 'metadata']
  const template: Record<string, unknown> = {}
  if (fieldsAt(values.root, ...metadata)) {
    template['metadata'] = fieldsAt(values.root, ...metadata)
    making.parts.push({ to: ['template', 'metadata'], from: values, path: metadata })
  }
  const engine = makeMode(making, values, own)
  template['spec'] = kind === 'RunnerSet' ? podOfSet(making, values) : podOfDeployment(making, values, own, engine)
  making.root['template'] = template
}

type Engine = 'none' | 'inside' | 'sidecar'

/** Sets the mode of the chart, and returns where the object has its Docker engine. */
function makeMode(making: Making, values: Values, own: Path): Engine {
  const isOff = valueAt(values.root, ...own, 'dockerEnabled') === false
  const isInside = valueAt(values.root, ...own, 'dockerdWithinRunnerContainer') === true
  const isKubernetes = textAt(values.root, ...own, 'containerMode') === 'kubernetes'
  const hasEngine = !isKubernetes && (!isOff || isInside)
  if (isKubernetes) making.root['containerMode'] = { type: 'kubernetes' }
  else if (hasEngine) making.root['containerMode'] = { type: 'dind' }
  const said = isKubernetes ? 'containerMode' : isInside ? 'dockerdWithinRunnerContainer' : 'dockerEnabled'
  making.parts.push({ to: ['containerMode', 'type'], from: values, path: [...own, said] })
  for (const field of ['dockerEnabled', 'dockerdWithinRunnerContainer']) {
    if (field !== said || making.root['containerMode'] === undefined) noteIfAny(making, values, [...own, field])
  }
  if (!hasEngine) return 'none'
  return isInside ? 'inside' : 'sidecar'
}

function noteIfAny(making: Making, values: Values, path: Path): void {
  if (valueAt(values.root, ...path) !== undefined) noteField(making, values, path)
}

function podOfDeployment(making: Making, values: Values, own: Path, engine: Engine): JsonObject {
  const fields = fieldsAt(values.root, ...own) ?? {}
  const spec: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(fields)) {
    if (!podFields.has(key)) continue
    spec[key] = value
    making.parts.push({ to: ['template', 'spec', key], from: values, path: [...own, key] })
  }
  const runner = runnerOf(making, values, own)
  const sidecars = listAt(fields, 'sidecarContainers')
  for (const [index] of sidecars.entries()) {
    making.parts.push({
      to: ['template', 'spec', 'containers', index + 1],
      from: values,
      path: [...own, 'sidecarContainers', index],
    })
  }
  return {
    ...spec,
    containers: [runner, ...sidecars, ...engineOf(making, values, own, { engine, index: sidecars.length + 1 })],
  }
}

const runnerPath: Path = ['template', 'spec', 'containers', 0]

/** A field of the listed container runner goes before the same field of the object. The mounts of both count. */
function runnerOf(making: Making, values: Values, own: Path): JsonObject {
  const containers: Path = [...own, 'containers']
  const listed = listAt(values.root, ...containers).findIndex((one) => textAt(one, 'name') === 'runner')
  const container = fieldsAt(values.root, ...containers, listed) ?? {}
  noteContainers(making, values, containers, listed)
  const runner: Record<string, unknown> = { name: 'runner' }
  const keep = (path: Path) => {
    const key = String(path.at(-1))
    const entries = key === 'env' ? withoutOld(making, values, path) : undefined
    const value = entries?.map(({ value: entry }) => entry) ?? valueAt(values.root, ...path)
    const before = listAt(runner, key)
    if (Array.isArray(value) && value.length === 0) return
    for (const [index, entry] of (Array.isArray(value) ? value : []).entries()) {
      const to = [...runnerPath, key, before.length + index]
      if (entry !== null) making.parts.push({ to, from: values, path: [...path, entries?.[index]?.index ?? index] })
    }
    making.parts.push({ to: [...runnerPath, key], from: values, path })
    runner[key] = Array.isArray(value) ? [...before, ...value] : value
  }
  for (const key of Object.keys(container)) if (!/^(name|image)$/.test(key)) keep([...containers, listed, key])
  for (const key of Object.keys(fieldsAt(values.root, ...own) ?? {})) {
    if (!containerFields.has(key)) continue
    if (key === 'volumeMounts' || runner[key] === undefined) keep([...own, key])
    else noteField(making, values, [...own, key], { is: 'dropped', sentence: 'The container runner has its own.' })
  }
  return runner
}

function noteContainers(making: Making, values: Values, containers: Path, listed: number): void {
  for (const [index] of listAt(values.root, ...containers).entries()) {
    if (index !== listed) noteField(making, values, [...containers, index], fateOf('containers'))
  }
  const image: Path = [...containers, listed, 'image']
  noteIfAny(making, values, image)
  if (listed >= 0) {
    const sentence = 'The container runner is the runner.'
    noteField(making, values, [...containers, listed, 'name'], { is: 'kept', sentence })
  }
}

/** The resources of the old sidecar are those of Dayfly's. An engine inside the runner has none of its own. */
function engineOf(
  making: Making,
  values: Values,
  own: Path,
  { engine, index }: { engine: Engine; index: number },
): readonly JsonObject[] {
  const path: Path = [...own, 'dockerdContainerResources']
  const resources = fieldsAt(values.root, ...path)
  if (!resources) return []
  if (engine !== 'sidecar') {
    noteField(making, values, path, {
      is: 'dropped',
      sentence: 'The old runner has no such sidecar, so it has no effect.',
    })
    return []
  }
  making.parts.push({ to: ['template', 'spec', 'containers', index, 'resources'], from: values, path })
  return [{ name: 'docker', image: 'docker:dind', resources }]
}

/** The container docker of a RunnerSet changes the old engine, and Dayfly's sidecar has the same name. */
function podOfSet(making: Making, values: Values): JsonObject {
  const path: Path = ['spec', 'template', 'spec']
  const spec = fieldsAt(values.root, ...path) ?? {}
  making.parts.push({ to: ['template', 'spec'], from: values, path })
  const containers = listAt(spec, 'containers').map((container, index) => {
    if (!isJsonObject(container) || container['name'] !== 'runner' || container['image'] === undefined) return container
    noteField(making, values, [...path, 'containers', index, 'image'])
    const { image: _old, ...rest } = container
    return rest
  })
  return { ...spec, ...(containers.length > 0 ? { containers } : {}) }
}

type Entry = { readonly index: number; readonly value: unknown }

function withoutOld(making: Making, values: Values, path: Path): readonly Entry[] {
  const sentence = 'Only the entrypoint of the old image reads it.'
  return listAt(values.root, ...path).flatMap((value, index) => {
    const isOld = oldVariables.test(textAt(value, 'name') ?? '')
    if (isOld) making.notes.push({ ...values.placeOf([...path, index]), is: 'dropped', sentence })
    return isOld ? [] : [{ index, value }]
  })
}

// Reads the items of a pipeline: steps, parallel groups and stages.
import type { Path } from '../source/locate.ts'
import {
  type Limits,
  type Mapping,
  mapping,
  type Reading,
  readCondition,
  readFlag,
  readLimits,
  refuseKey,
  refuseOthers,
  showImage,
  textOf,
} from './fields.ts'
import type { PipelineStep, StepGroup } from './pipeline.ts'

/** Bitbucket's limit of a pipeline. */
export const stepsMax = 100
const nameMax = 255

type Place = {
  readonly limits: Limits
  readonly failFast: boolean
  readonly stage: string | undefined
  /** The name of a step without one has this number. */
  readonly count: { value: number }
}

export function readItems(reading: Reading, items: unknown, path: Path, limits: Limits): readonly StepGroup[] {
  const place: Place = { limits, failFast: false, stage: undefined, count: { value: 0 } }
  return listOf(reading, items, path).flatMap((item, index) => readItem(reading, item, [...path, index], place))
}

function readItem(reading: Reading, item: unknown, path: Path, place: Place): readonly StepGroup[] {
  const value = mapping(item)
  const [kind] = Object.keys(value)
  refuseOthers(reading, value, path, ['step', 'parallel', 'stage'])
  if (Object.keys(value).length > 1) {
    reading.invalid(path, `\`${textOf(path)}\` has more than one key.`, 'Write each step as its own item of the list.')
  }
  if (kind === 'step') return [groupOf([readStep(reading, value['step'], [...path, 'step'], place)], false, place)]
  if (kind === 'parallel') return [readParallel(reading, value['parallel'], [...path, 'parallel'], place)]
  if (kind === 'stage') return readStage(reading, value['stage'], [...path, 'stage'], place)
  if (kind === undefined) refuseItem(reading, path)
  return []
}

function groupOf(steps: readonly PipelineStep[], parallel: boolean, { stage }: Place): StepGroup {
  return { parallel, stage, steps }
}

/** Reads the list of steps, or the mapping with `steps` and `fail-fast`. */
function readParallel(reading: Reading, value: unknown, path: Path, place: Place): StepGroup {
  if (Array.isArray(value)) return groupOf(readStepList(reading, value, path, place), true, place)
  const group = mapping(value)
  refuseOthers(reading, group, path, ['steps', 'fail-fast'])
  const failFast = readFlag(reading, group, path, 'fail-fast') ?? false
  return groupOf(readStepList(reading, group['steps'], [...path, 'steps'], { ...place, failFast }), true, place)
}

function readStage(reading: Reading, value: unknown, path: Path, place: Place): readonly StepGroup[] {
  const stage = mapping(value)
  refuseOthers(reading, stage, path, ['name', 'steps', 'condition'])
  readCondition(reading, stage, path)
  const inside = { ...place, stage: stage['name'] === undefined ? 'stage' : String(stage['name']) }
  const steps = readStepList(reading, stage['steps'], [...path, 'steps'], inside)
  return steps.map((step) => groupOf([step], false, inside))
}

/** Reads a list that holds only steps. */
function readStepList(reading: Reading, items: unknown, path: Path, place: Place): readonly PipelineStep[] {
  return listOf(reading, items, path).flatMap((item, index) => {
    const value = mapping(item)
    const here = [...path, index]
    refuseOthers(reading, value, here, ['step'])
    if (Object.keys(value).length === 0) refuseItem(reading, here)
    return value['step'] === undefined ? [] : [readStep(reading, value['step'], [...here, 'step'], place)]
  })
}

const stepKeys = [
  'name',
  'script',
  'after-script',
  'runs-on',
  'size',
  'max-time',
  'image',
  'condition',
  'fail-fast',
] as const

function readStep(reading: Reading, item: unknown, path: Path, place: Place): PipelineStep {
  const value = mapping(item)
  refuseOthers(reading, value, path, stepKeys)
  showImage(reading, value, path)
  readCondition(reading, value, path)
  const number = ++place.count.value
  return {
    name:
      value['name'] === undefined || value['name'] === null
        ? `Step ${number}`
        : String(value['name']).slice(0, nameMax),
    runsOn: readLabels(reading, value, path),
    ...readLimits(reading, value, path, place.limits),
    script: readScript(reading, value['script'], [...path, 'script']),
    afterScript:
      value['after-script'] === undefined ? [] : readScript(reading, value['after-script'], [...path, 'after-script']),
    failFast: readFlag(reading, value, path, 'fail-fast') ?? place.failFast,
  }
}

function readScript(reading: Reading, items: unknown, path: Path): readonly string[] {
  return listOf(reading, items, path).flatMap((item, index) => {
    if (typeof item === 'string' || typeof item === 'number' || typeof item === 'boolean') return [String(item)]
    const here = [...path, index]
    if (Object.hasOwn(mapping(item), 'pipe')) refuseKey(reading, [...here, 'pipe'])
    else {
      const sentence = `\`${textOf(here)}\` is not a command.`
      reading.invalid(here, sentence, 'Write a text. A colon and a blank in a command need quotes around it.')
    }
    return []
  })
}

function readLabels(reading: Reading, value: Mapping, path: Path): readonly string[] | undefined {
  const labels = value['runs-on']
  if (labels === undefined) return undefined
  const list: readonly unknown[] = Array.isArray(labels) ? labels : [labels]
  const isValid = list.length > 0 && list.every((label) => typeof label === 'string' && /^[a-z0-9.]{1,50}$/.test(label))
  if (isValid) return list.map(String)
  const sentence = `\`${textOf([...path, 'runs-on'])}\` is not a list of labels.`
  reading.invalid([...path, 'runs-on'], sentence, 'Write labels of lower-case letters, digits and dots.')
  return undefined
}

function listOf(reading: Reading, items: unknown, path: Path): readonly unknown[] {
  if (Array.isArray(items) && items.length > 0) return items
  const sentence = `\`${textOf(path)}\` is not a list with entries.`
  reading.invalid(path, sentence, 'Write a list with at least one entry.')
  return []
}

function refuseItem(reading: Reading, path: Path): void {
  reading.invalid(path, `\`${textOf(path)}\` is not a step.`, 'Write `- step:` with its `script:`.')
}

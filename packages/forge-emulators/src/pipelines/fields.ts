// Reads single fields of a bitbucket-pipelines.yml, and collects the problems and the notes of the whole file.
import { asJsonObject } from '@dayfly/kit/read-json'
import type { Found, Path } from '../source/locate.ts'

export type Mapping = Readonly<Record<string, unknown>>

export type Reading = {
  readonly problems: (Found & { readonly code: 'invalid' | 'unsupported' })[]
  readonly notes: Set<string>
  /** Records a value that Bitbucket refuses, too. */
  invalid(path: Path, sentence: string, next: string): void
}

export function startReading(): Reading {
  const problems: Reading['problems'] = []
  return {
    problems,
    notes: new Set(),
    invalid: (path, sentence, next) => problems.push({ code: 'invalid', path, sentence, next }),
  }
}

/** The advice for keys that are known, but not supported here. */
const advice: Readonly<Record<string, string>> = {
  artifacts: 'Write the files to a folder that both steps know, or do the work in one step.',
  caches: 'Remove `caches`; the steps use the caches of this machine.',
  clone: 'Remove `clone`; each step gets a clean clone of the commit.',
  deployment: 'Remove `deployment` for a local run, and set its variables in the script.',
  docker: 'Remove `docker`; the steps use the Docker of this machine.',
  environment: 'Remove `environment` for a local run, and set its variables in the script.',
  import: 'Write the steps of the imported pipeline into this file.',
  oidc: 'Remove `oidc`; no server here issues tokens.',
  pipe: "Write the pipe's commands into the script.",
  runtime: 'Remove `runtime`; the steps run on this machine.',
  services: 'Remove `services`, or start the service in the script.',
  stage: 'Write the stage beside the parallel group.',
  parallel: 'Write the parallel group beside the stage.',
  trigger: 'Remove `trigger`; the step starts when the steps before it have passed.',
  variables: 'Remove `variables`, and set them in the script.',
}

/** Refuses each key that is not allowed, by its name and its path. */
export function refuseOthers(reading: Reading, value: Mapping, path: Path, allowed: readonly string[]): void {
  for (const key of Object.keys(value)) {
    if (!allowed.includes(key)) refuseKey(reading, [...path, key])
  }
}

export function refuseKey(reading: Reading, path: Path): void {
  const key = String(path.at(-1))
  const sentence = `\`${textOf(path)}\` is not supported here.`
  const next = (Object.hasOwn(advice, key) && advice[key]) || 'Remove it, or correct its spelling.'
  reading.problems.push({ code: 'unsupported', path, sentence, next })
}

/** Notes the image of a mapping: a step does not run in it. */
export function showImage(reading: Reading, value: Mapping, path: Path): void {
  if (value['image'] === undefined) return
  const { image } = value
  const name = typeof image === 'object' ? mapping(image)['name'] : image
  if (typeof name !== 'string' || name === '') {
    const next = 'Write `image: name:tag`, or a mapping with `name`.'
    reading.invalid([...path, 'image'], `\`${textOf([...path, 'image'])}\` has no name.`, next)
  }
  reading.notes.add('Steps run on this machine, and not in the image of the file.')
}

/** Notes and checks the condition of a step or a stage. */
export function readCondition(reading: Reading, value: Mapping, path: Path): void {
  if (value['condition'] === undefined) return
  refuseOthers(reading, mapping(value['condition']), [...path, 'condition'], ['changesets'])
  reading.notes.add('Steps with `condition.changesets` run always, because a local run has no changeset.')
}

export type Limits = { readonly maxTimeMinutes: number }

const sizes = ['1x', '2x', '4x', '8x', '16x', '32x']
const maxTimeMost = 720

/** Reads `max-time` and checks `size`. Bitbucket has whole minutes; fractions keep examples short. */
export function readLimits(reading: Reading, value: Mapping, path: Path, inherited: Limits): Limits {
  const { size, 'max-time': maxTime } = value
  if (size !== undefined) {
    if (!sizes.some((each) => each === size)) {
      const next = `Write one of ${sizes.join(', ')}.`
      reading.invalid([...path, 'size'], `\`${textOf([...path, 'size'])}\` is not a size.`, next)
    }
    reading.notes.add('`size` has no effect: a step has the memory and the processors of its runner.')
  }
  if (maxTime === undefined) return inherited
  if (typeof maxTime === 'number' && maxTime > 0 && maxTime <= maxTimeMost) return { maxTimeMinutes: maxTime }
  const sentence = `\`${textOf([...path, 'max-time'])}\` is not a number of minutes up to ${maxTimeMost}.`
  reading.invalid([...path, 'max-time'], sentence, 'Write a number, for example `max-time: 10`.')
  return inherited
}

/** Reads an optional true or false. */
export function readFlag(reading: Reading, value: Mapping, path: Path, key: string): boolean | undefined {
  const flag = value[key]
  if (flag === undefined || typeof flag === 'boolean') return flag
  reading.invalid([...path, key], `\`${textOf([...path, key])}\` is not true or false.`, 'Write `true` or `false`.')
  return undefined
}

/** Writes a path as a user reads it: `pipelines.default[0].step`. */
export function textOf(path: Path): string {
  return path
    .map((part, index) => (typeof part === 'number' ? `[${part}]` : `${index > 0 ? '.' : ''}${part.slice(0, 100)}`))
    .join('')
}

export function mapping(value: unknown): Mapping {
  return asJsonObject(value) ?? {}
}

// Checks values of ARC with the schema of the RunnerSet, so that the import writes no value that the controller refuses.
import { type Path, valueAt } from '@dayfly/kit/read-json'
import { runnerSetSpecSchema } from '@dayfly/runner-set/config/spec-schema'
import type { Context } from './context.ts'

const github = runnerSetSpecSchema.shape.github.unwrap().shape
const proxy = github.proxy.unwrap().shape
const ca = github.ca.unwrap().shape
const work = runnerSetSpecSchema.shape.jobPods.unwrap().shape.work.unwrap().shape

/** The schemas of the fields into which the import writes a text of ARC. */
const schemas = {
  'spec.github.url': github.url,
  'spec.github.credentials.secret': github.credentials.shape.secret,
  'spec.github.runnerGroup': github.runnerGroup.unwrap(),
  'spec.github.labels': github.labels.unwrap().element,
  'spec.github.proxy.url': proxy.url,
  'spec.github.proxy.credentials.secret': proxy.credentials.unwrap().shape.secret,
  'spec.github.proxy.noProxy': proxy.noProxy.unwrap().element,
  'spec.github.ca.configMap': ca.configMap.unwrap(),
  'spec.github.ca.key': ca.key.unwrap(),
  'spec.jobPods.work.size': work.size.unwrap(),
  'spec.jobPods.work.class': work.class.unwrap(),
  'spec.jobPods.work.accessMode': work.accessMode.unwrap(),
} as const

type Place = keyof typeof schemas

/** Returns whether the schema accepts the value in this field. */
export function isAccepted(place: Place, value: unknown): value is string {
  return schemas[place].safeParse(value).success
}

/**
 * Returns the text at a path of the values if the schema accepts it in this field. A number counts as its text. If the
 * schema refuses it, notes what a person has to do, and returns undefined. An absent or empty value is undefined, too.
 * @param what completes the sentence "It is no …"
 */
export function acceptedText(
  { values, ledger }: Context,
  path: Path,
  { place, what }: { readonly place: Place; readonly what: string },
): string | undefined {
  const value = valueAt(values.root, ...path)
  if (value === undefined || value === null || value === '') return undefined
  const text = typeof value === 'number' ? String(value) : value
  if (isAccepted(place, text)) return text
  const why = values.isComputed(path) ? 'A template computes it' : `It is no ${what}`
  ledger.note('decide', path, `${why}, so the RunnerSet does not have it. Write ${place} yourself.`)
  return undefined
}

// A release of one of ARC's two charts, by any delivery tool.
import type { Path } from '@dayfly/kit/read-json'
import { textAt } from '@dayfly/kit/read-json'
import type { ObjectFact } from '../facts.ts'

export type ArcChart = 'gha-runner-scale-set-controller' | 'gha-runner-scale-set'

/** A version as written, and its place. */
export type Said = { readonly fact: ObjectFact; readonly path: Path; readonly version: string }

export type ChartRelease = {
  readonly fact: ObjectFact
  readonly chart: ArcChart
  /** The path of its source or its entry. */
  readonly path: Path
  /** The version of the chart. Undefined: a range, or given elsewhere. */
  readonly version: Said | undefined
  /** The version of the image, if the values replace the chart's image. */
  readonly image: Said | undefined
  /** The target cluster, as the tool names it. Undefined: unknown. */
  readonly cluster: string | undefined
}

/** Whether two releases may be in one cluster. */
export function mayMeet(one: Pick<ChartRelease, 'cluster'>, other: Pick<ChartRelease, 'cluster'>): boolean {
  return one.cluster === undefined || other.cluster === undefined || one.cluster === other.cluster
}

/** Recognizes a chart by the last part of a name, a path or a URL. */
export function arcChart(text: string | undefined): ArcChart | undefined {
  const name = text?.replace(/\/$/, '').split('/').at(-1)
  return name === 'gha-runner-scale-set' || name === 'gha-runner-scale-set-controller' ? name : undefined
}

export function isVersion(text: string | undefined): text is string {
  return text !== undefined && /^v?\d+\.\d+\.\d+/.test(text)
}

export function saidAt(fact: ObjectFact, path: Path): Said | undefined {
  const version = textAt(fact.raw, ...path)
  return isVersion(version) ? { fact, path, version } : undefined
}

// A release of one of ARC's two charts, whatever tool delivers it.

import type { Path } from '../../lib/read-json.ts'
import { textAt } from '../../lib/read-json.ts'
import type { ObjectFact } from '../facts.ts'

export type ArcChart = 'gha-runner-scale-set-controller' | 'gha-runner-scale-set'

/** A version that is written out, and where. */
export type Said = { readonly fact: ObjectFact; readonly path: Path; readonly version: string }

export type ChartRelease = {
  readonly fact: ObjectFact
  readonly chart: ArcChart
  /** Where its source, or its entry, begins. */
  readonly path: Path
  /** Of the chart; undefined: a range, or said elsewhere. */
  readonly version: Said | undefined
  /** Of the image that the values name in place of the chart's own. */
  readonly image: Said | undefined
  /** The cluster to which it is delivered, as its tool names it; undefined: not known. */
  readonly cluster: string | undefined
}

/** Whether two releases may meet in one cluster. */
export function mayMeet(one: Pick<ChartRelease, 'cluster'>, other: Pick<ChartRelease, 'cluster'>): boolean {
  return one.cluster === undefined || other.cluster === undefined || one.cluster === other.cluster
}

/** By the last part of a name, a path or a URL. */
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

// Reads the Secret in which helm stores a release: base64 of a compressed JSON.
import { gunzipSync } from 'node:zlib'
import { fieldsAt, type JsonObject, textAt } from '@dayfly/kit/read-json'
import type { Line } from '../ledger.ts'
import type { Release } from '../release.ts'
import { type Values, valuesAt } from '../values.ts'
import { assemble } from './assemble.ts'

/** A Secret has at most 1 MiB. A compressed text can be a thousand times its size, so the limit is far below that. */
const bytesMax = 16 * 1024 * 1024

export type HelmRelease = {
  readonly name: string
  readonly namespace: string
  /** The name of the chart. */
  readonly chart: string
  /** The values of the chart itself, and those that the user gave. */
  readonly defaults: JsonObject
  readonly given: JsonObject
}

/** Returns the release; a sentence if it cannot be read. The sentence holds no value of the release. @param data the member `release` of the Secret, in base64 */
export function readHelmSecret(data: string): HelmRelease | string {
  const text = decompressed(data)
  if (text === undefined) return 'The Secret holds no release of Helm 3, or one that is too large.'
  const release = parsed(text)
  const chart = textAt(release, 'chart', 'metadata', 'name')
  const name = textAt(release, 'name')
  const namespace = textAt(release, 'namespace')
  if (chart === undefined || name === undefined || namespace === undefined)
    return 'The release in the Secret has no chart or no name.'
  const defaults = fieldsAt(release, 'chart', 'values') ?? {}
  return { name, namespace, chart, defaults, given: fieldsAt(release, 'config') ?? {} }
}

/** ARC's chart puts an inline credential into a Secret of this name. */
function secretOf({ values, name = '' }: Release): string {
  const scaleSet = textAt(values.root, 'runnerScaleSetName') || name
  return `${`${scaleSet}-gha-rs`.slice(0, 63).replace(/-$/, '').replaceAll('_', '-')}-github-secret`
}

function decompressed(data: string): string | undefined {
  try {
    const inner = Buffer.from(Buffer.from(data, 'base64').toString('latin1'), 'base64')
    return gunzipSync(inner, { maxOutputLength: bytesMax }).toString('utf8')
  } catch {
    return undefined
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Returns the sets of the release. The values of another chart include its own ones, which may describe the runners. */
export function releasesOfHelm(release: HelmRelease): {
  readonly releases: readonly Release[]
  readonly lines: readonly Line[]
} {
  const file = `release ${release.namespace}/${release.name}`
  const isChart = release.chart === 'gha-runner-scale-set'
  const given = valuesAt(file, [], release.given)
  const layers: readonly Values[] = isChart ? [given] : [valuesAt(`${file}, chart`, [], release.defaults), given]
  const { name, namespace } = release
  const found = assemble({ form: 'Helm release', file, at: [], name, namespace, isChart, layers, notes: [] })
  const releases = found.map((one) => ({ ...one, made: { inlineSecret: secretOf(one) } }))
  const sentence = `The chart ${release.chart} has no values of ARC's chart gha-runner-scale-set.`
  return { releases, lines: releases.length > 0 ? [] : [{ file, path: 'chart', is: 'decide', sentence }] }
}

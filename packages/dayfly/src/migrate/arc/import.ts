// Makes RunnerSets of ARC's sets of runners, and a report that names each value of them.
import type { SourceFile } from '@dayfly/doctor/read/decode/document'
import type { JsonObject } from '@dayfly/kit/read-json'
import { parseRunnerSet } from '@dayfly/runner-set/config/runner-set'
import type { WantedSecret } from './convert/context.ts'
import { readDefaultPod } from './convert/default-pod.ts'
import { convertSet, type RunnerSetDocument } from './convert/set.ts'
import type { Line } from './ledger.ts'
import { findReleases } from './read/find-releases.ts'
import { type HelmRelease, releasesOfHelm } from './read/helm-secret.ts'
import { decodeInput, type Unread } from './read/input.ts'
import { releasesOfValues } from './read/values-files.ts'
import type { Release } from './release.ts'

export type ImportRequest = {
  /** Files with values, manifests, or definitions of a delivery tool. */
  readonly files: readonly SourceFile[]
  /** Values files of one release, in the order in which helm merges them. */
  readonly valuesFiles: readonly SourceFile[]
  readonly helmReleases: readonly HelmRelease[]
  /** The name and the namespace of a release whose input does not say them. */
  readonly name: string | undefined
  readonly namespace: string | undefined
  /** The spec of Dayfly's own pod with a Docker sidecar, without any template, and where its runner finds its credential. */
  readonly defaultSpec: JsonObject
  readonly credentialFile: string
}

export type ImportedSet = {
  readonly document: RunnerSetDocument
  readonly source: Pick<Release, 'form' | 'file' | 'at'>
  /** One line for each value. */
  readonly lines: readonly Line[]
  readonly secrets: readonly WantedSecret[]
}

export type ImportResult = {
  readonly sets: readonly ImportedSet[]
  /** Lines about releases of which no RunnerSet was made. */
  readonly lines: readonly Line[]
  readonly unread: readonly Unread[]
  /** A RunnerSet that the schema refuses would be a mistake of the import. It is left out. */
  readonly problems: readonly Unread[]
}

export function importArc(request: ImportRequest): ImportResult {
  const found = findReleases(decodeInput(request.files))
  const own = releasesOfValues(request.valuesFiles)
  const installed = request.helmReleases.map(releasesOfHelm)
  const defaults = readDefaultPod(request.defaultSpec, request.credentialFile)
  const releases = [...own.releases, ...installed.flatMap((one) => one.releases), ...found.releases]
  const converted = releases.map((release) => {
    const named = { ...release, name: release.name ?? request.name, namespace: release.namespace ?? request.namespace }
    const { document, lines, secrets } = convertSet(named, defaults)
    return { document, lines, secrets, source: { form: release.form, file: release.file, at: release.at } }
  })
  const judged = converted.map((set) => ({ set, problems: problemsOf(set) }))
  return {
    sets: judged.flatMap(({ set, problems }) => (problems.length === 0 ? [set] : [])),
    lines: [...installed.flatMap(({ lines }) => lines), ...found.lines],
    unread: [...own.unread, ...found.unread],
    problems: judged.flatMap(({ problems }) => problems),
  }
}

/** The schema that the controller reads with has the last word. */
function problemsOf({ document, source }: ImportedSet): readonly Unread[] {
  const parsed = parseRunnerSet(document)
  if (parsed.ok) return []
  return parsed.problems.map(({ path, sentence }) => ({
    file: source.file,
    sentence: `The RunnerSet ${document.metadata.name} would not be valid: ${path}: ${sentence}.`,
  }))
}

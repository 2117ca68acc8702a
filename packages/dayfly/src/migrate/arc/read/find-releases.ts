// Finds each set of runners of ARC in the files of the input, by any tool that delivers it.
import type { SourceObject } from '@dayfly/doctor/read/decode/document'
import type { Line } from '../ledger.ts'
import type { Release } from '../release.ts'
import { showPath } from '../values.ts'
import { argoSets } from './argo.ts'
import { unusedParts } from './chart-files.ts'
import { fluxSets } from './flux.ts'
import { together } from './found-releases.ts'
import { branchNotes, type Input, type Unread, valuesIn } from './input.ts'
import { listedSets } from './listed.ts'
import { liveSets, unknownKinds } from './live.ts'
import { oldSets } from './old.ts'
import { terraformSets } from './terraform.ts'

export type Found = {
  readonly releases: readonly Release[]
  /** Parts of releases whose values are elsewhere. */
  readonly lines: readonly Line[]
  readonly unread: readonly Unread[]
}

export function findReleases(input: Input): Found {
  const delivered = [argoSets(input), fluxSets(input), listedSets(input), terraformSets(input)]
  const { releases, used: parts, unread } = together(delivered)
  const used = new Set(parts)
  // A values file that a release names is no release of its own.
  const files = new Set(releases.flatMap((release) => release.files.filter((file) => file !== release.file)))
  const unused = unusedParts(input)
  const plain = input.objects.filter(
    (one) => one.kind === 'values' && !used.has(one) && !files.has(one.document.file.path) && !unused.objects.has(one),
  )
  const old = oldSets(input)
  return {
    releases: [...releases, ...plain.flatMap(plainRelease), ...liveSets(input), ...old.releases],
    lines: [...unread, ...unused.lines, ...unknownKinds(input), ...old.lines],
    unread: input.unread,
  }
}

/** Values on their own: a values file, also of a chart with ARC's as a dependency, or a string of a ConfigMap. */
function plainRelease(object: SourceObject): readonly Release[] {
  const values = valuesIn(object, [])
  if (!values) return []
  const file = object.document.file.path
  return [
    {
      form: /\.(?:tf|tofu|hcl)$/.test(file) ? 'Terraform' : 'values file',
      file,
      at: showPath(object.path),
      name: undefined,
      namespace: undefined,
      values,
      notes: branchNotes(object),
      files: [],
      made: {},
    },
  ]
}

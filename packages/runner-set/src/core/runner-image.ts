// The image of a set's runner, and the version of the runner as far as the image's name proves it.
import { forgeTraits } from '../model/forge-traits.ts'
import { runnerContainer } from '../model/runner-names.ts'
import type { RunnerSet } from '../model/runner-set.ts'
import type { RunnerImage } from '../model/runner-version.ts'
import { namedIn } from './runner-externals.ts'

type OfImage = Pick<RunnerSet, 'source' | 'template'>

/** Returns the image of the runner container: that of the template, or the forge's own. */
export function runnerImage({ source, template }: OfImage): string {
  const image = namedIn(template.spec ?? {}, 'containers', runnerContainer)?.['image']
  return typeof image === 'string' && image !== '' ? image : forgeTraits[source.kind].runner.image
}

/** Returns the image with the version that its tag proves; undefined at a forge that ends no version of its runner. */
export function versionedImage(set: OfImage): RunnerImage | undefined {
  if (!forgeTraits[set.source.kind].runner.versionsEnd) return undefined
  const image = runnerImage(set)
  return { image, version: versionOfTag(image) }
}

/**
 * Only a copy of the forge's own image has the runner's version as its tag: `ghcr.io/actions/actions-runner:2.330.0`, or the same name in a
 * mirror, perhaps with a suffix. An image with another name has versions of its own. Beside a digest the tag is a comment: the container
 * runtime ignores it.
 */
function versionOfTag(image: string): string | undefined {
  return /(?:^|\/)actions-runner:v?(2\.\d{3}\.\d{1,3})(?:-[\w.-]*)?$/.exec(image)?.[1]
}

// The labels of a set's runners, and how they differ from those of the living ones.
import type { ForgeSet } from '@dayfly/runner-set/forge/forge'
import type { Failure } from '@dayfly/runner-set/model/failure'
import type { ListedRunner } from './wire.ts'

/** Returns the problem of a set that Gitea cannot have; undefined if there is none. */
export function problemOf({ labels, group }: ForgeSet): string | undefined {
  if (group !== undefined) return `Gitea has no runner groups. Remove the group ${group} from the set.`
  const wrong = labels.find((label) => !/^[^\s:,]{1,128}$/.test(label))
  if (wrong === undefined) return undefined
  const next = 'Write the label alone: the image of its jobs is spec.gitea.jobImage.'
  return `${wrong.slice(0, 80)} cannot be a label at Gitea, because it has a colon, a comma or a space. ${next}`
}

/** Gitea gives a runner its labels at its registration. @param runners the living runners of the set */
export function differenceOf(set: ForgeSet, runners: readonly ListedRunner[]): Failure | undefined {
  const problem = problemOf(set)
  if (problem !== undefined) return { reason: 'forge-settings-differ', message: problem }
  const wanted = [...set.labels].sort().join(', ')
  const others = runners.filter(({ labels }) => labels.length > 0 && [...labels].sort().join(', ') !== wanted)
  const [other] = others
  if (!other) return undefined
  const which = others.length > 1 ? `${others.length} runners, one of them ${other.name}, keep` : `${other.name} keeps`
  const message = `${which} the old labels ${other.labels.join(', ')} until the end. New runners get ${wanted}.`
  return { reason: 'forge-settings-differ', message }
}

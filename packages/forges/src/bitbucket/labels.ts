// The labels of a set's runners, and how they differ from those of the living ones (docs/reference/bitbucket.md#s2-4).
import type { ForgeSet } from '@dayfly/runner-set/forge/forge'
import type { Failure } from '@dayfly/runner-set/model/failure'
import type { ListedRunner } from './wire.ts'

const platforms: readonly string[] = ['linux', 'linux.arm64', 'linux.shell', 'macos', 'windows']
const customMax = 10

/** Returns the labels that a new runner of the set gets, with those that no runner can lack. */
export function labelsOf({ labels }: Pick<ForgeSet, 'labels'>): readonly string[] {
  const platform = labels.some((label) => platforms.includes(label)) ? [] : ['linux']
  return [...new Set(['self.hosted', ...platform, ...labels])]
}

/** Returns the problem of a set that Bitbucket cannot have; undefined if there is none. */
export function problemOf({ labels, group }: ForgeSet): string | undefined {
  if (group !== undefined) return `Bitbucket has no runner groups. Remove the group ${group} from the set.`
  const wrong = labels.find((label) => !/^[a-z0-9]+(\.[a-z0-9]+)*$/.test(label) || label.length > 50)
  if (wrong !== undefined) {
    const rule = 'Labels have lower-case letters, digits and dots between them.'
    return `${wrong.slice(0, 80)} cannot be a label at Bitbucket. ${rule} Change it in the set.`
  }
  const custom = labelsOf({ labels }).filter((label) => label !== 'self.hosted' && !platforms.includes(label))
  if (custom.length <= customMax) return undefined
  return `A runner at Bitbucket has at most ${customMax} labels of your own, and the set has ${custom.length}. Remove some.`
}

/** Bitbucket gives a runner its labels at its creation. @param runners the living runners of the set */
export function differenceOf(set: ForgeSet, runners: readonly ListedRunner[]): Failure | undefined {
  const problem = problemOf(set)
  if (problem !== undefined) return { reason: 'forge-settings-differ', message: problem }
  const wanted = [...labelsOf(set)].sort().join(', ')
  const others = runners.filter(({ labels }) => [...new Set(labels)].sort().join(', ') !== wanted)
  const [other] = others
  if (!other) return undefined
  const which = others.length > 1 ? `${others.length} runners, one of them ${other.name}, keep` : `${other.name} keeps`
  const message = `${which} the old labels ${other.labels.join(', ')} until the end. New runners get ${wanted}.`
  return { reason: 'forge-settings-differ', message }
}

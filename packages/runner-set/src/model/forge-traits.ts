// The traits of each forge: code outside a forge's own folder reads a trait and never asks which forge it is.
import { bitbucket } from './forges/bitbucket.ts'
import { gitea } from './forges/gitea.ts'
import { github } from './forges/github.ts'
import type { ForgeTraits } from './forges/traits.ts'
import type { ForgeKind } from './runner-set.ts'

export const forgeTraits: Readonly<Record<ForgeKind, ForgeTraits>> = { github, bitbucket, gitea }

// The option that names an account, of each forge, for the messages of the commands that take it.
import type { ForgeKind } from '@dayfly/runner-set/model/runner-set'

export const accountFlags: Readonly<Record<ForgeKind, string>> = {
  github: '--github-url',
  bitbucket: '--bitbucket-workspace',
  gitea: '--gitea-url',
}

const flags = Object.values(accountFlags)

/** All of these options, as the end of a sentence. */
export const anyAccountFlag = `${flags.slice(0, -1).join(', ')} or ${flags.at(-1)}`

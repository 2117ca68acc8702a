// Roles and their bindings are stored as given. Their names may contain everything that a path segment may:
// `system:node`.
import type { Rules } from './rules.ts'

export const roleRules: Rules = {
  name: (name) => {
    if (name === '.' || name === '..') return [`may not be '${name}'`]
    return ['/', '%'].filter((sign) => name.includes(sign)).map((sign) => `may not contain '${sign}'`)
  },
}

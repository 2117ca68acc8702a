// Roles and their bindings: stored as they are. Their names may hold what a path may hold: `system:node`.
import type { Rules } from './rules.ts'

export const roleRules: Rules = {
  name: (name) => {
    if (name === '.' || name === '..') return [`may not be '${name}'`]
    return ['/', '%'].filter((sign) => name.includes(sign)).map((sign) => `may not contain '${sign}'`)
  },
}

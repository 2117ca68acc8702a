// The limits that accounts of one process share: registrations of one target, and the budget of one credential.
import { createHash } from 'node:crypto'
import type { ConfigUrl } from '../config-url.ts'
import { Budget } from './budget.ts'
import { Pace } from './pace.ts'

export class SharedLimits {
  readonly #paces = new Map<string, Pace>()
  readonly #budgets = new Map<string, Budget>()

  /** The pace of registrations at one organization, repository or enterprise, for every credential. GitHub ignores the case of names. */
  pace({ apiOrigin, apiPath, scopePath }: ConfigUrl): Pace {
    return entry(this.#paces, `${apiOrigin}${apiPath}${scopePath}`.toLowerCase(), () => new Pace())
  }

  /** The budget of one credential at one API, for every target. */
  budget({ apiOrigin, hosted }: ConfigUrl, credential: string): Budget {
    const key = createHash('sha256').update(`${apiOrigin} ${credential}`).digest('base64')
    return entry(this.#budgets, key, () => new Budget(hosted))
  }
}

function entry<T>(map: Map<string, T>, key: string, create: () => T): T {
  const known = map.get(key)
  if (known !== undefined) return known
  const created = create()
  map.set(key, created)
  return created
}

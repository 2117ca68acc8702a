// An in-memory account at a forge. A test sets its registrations; a busy runner is never removed.
import type { ForgeAccount } from '@dayfly/runner-set/forge/account'
import type { RegistrationFact } from '../facts.ts'

export const accountUrl = 'https://github.com/acme'

/** A removal takes the registration out of `registrations`. */
export function accountOf(
  registrations: RegistrationFact[],
  removal: ForgeAccount['removal'] = 'refuses-busy',
): ForgeAccount {
  return {
    url: accountUrl,
    removal,
    registrations: async () => registrations,
    find: async (name) => registrations.find((one) => one.name === name),
    set: async () => undefined,
    findSet: async () => undefined,
    waiting: async () => undefined,
    removeSet: async () => {},
    deregister: async (id) => {
      const index = registrations.findIndex((one) => one.id === id)
      if (index < 0) return 'absent'
      if (registrations[index]?.busy === true) return 'busy'
      registrations.splice(index, 1)
      return 'removed'
    },
  }
}

export function registration(name: string, more: Partial<RegistrationFact> = {}): RegistrationFact {
  return { id: name, name, busy: false, status: 'offline', set: undefined, createdAt: undefined, ...more }
}

// Only the holder of the Lease writes: two controllers never act at the same time.
import type { Checker } from './checker.ts'

export const oneLeader: Checker = {
  name: 'one-leader',
  watch: ({ registry, observers }, broken) => {
    observers.sent.add((identity, server, { method, path }) => {
      if (server !== 'api' || method === 'GET' || path.includes('/leases')) return
      const lease = registry.get('leases.coordination.k8s.io', 'a', 'dayfly')
      const holder = Object(lease?.['spec']).holderIdentity
      if (holder && holder !== identity) broken(`${identity} sends ${method} ${path} while ${holder} leads`)
    })
  },
}

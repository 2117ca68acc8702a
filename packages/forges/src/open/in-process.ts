// The accounts of a controller whose forges are in its own process: the same as over sockets, without a connection.
import type { Transport } from '@dayfly/kit/http'
import type { Caller } from './clients.ts'
import { createForges, type Forges } from './forges.ts'

/** @param transport reaches the forges of all URLs */
export function inProcessForges(transport: Transport, caller: Caller & { readonly owner: string }): Forges {
  const ignore = () => {}
  const connect = () => ({ transport, close: async () => {} })
  return createForges({ ...caller, onAnomaly: ignore, onExchange: ignore, environment: {}, connect })
}

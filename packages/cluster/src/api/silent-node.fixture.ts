// A node for tests of the API server alone: its logs are empty, and no command starts.
import { sessionOf } from '@dayfly/kit/command-session'
import type { NodeApi } from './node.ts'

export const silentNode: NodeApi = {
  async *logs() {},
  exec: () => sessionOf({ is: 'failed', message: 'no container runs here' }),
  usage: async () => [],
}

// What it takes to speak to GitHub for one account, whatever is then done there.
import type { Clock } from '../../lib/clock.ts'
import type { Transport } from '../../lib/http.ts'
import type { Random } from '../../lib/random.ts'
import type { GitHubCredential } from './tokens.ts'

export type GitHubAccess = {
  /** Of an organization, a repository or an enterprise: `https://github.com/acme`. */
  readonly url: string
  readonly credential: GitHubCredential
  readonly transport: Transport
  readonly clock: Clock
  readonly random: Random
  /** Product and version, ASCII: `dayfly/1.2.0`. */
  readonly userAgent: string
}

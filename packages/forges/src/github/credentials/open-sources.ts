// Makes the sources of an account from its credential.
import { githubError } from '../calls/errors.ts'
import { type ObserveExchange, observed } from '../calls/exchange.ts'
import { type RestApi, ServerClock } from '../calls/rest.ts'
import type { Net } from '../calls/retry.ts'
import type { SharedLimits } from '../calls/shared-limits.ts'
import type { ConfigUrl } from '../config-url.ts'
import { AppSource } from './app-source.ts'
import type { GitHubCredential } from './credential.ts'
import { Sources } from './sources.ts'
import { tokenSource } from './token-source.ts'

export type SourcesOptions = {
  readonly net: Net
  readonly config: ConfigUrl
  readonly credential: GitHubCredential
  readonly userAgent: string
  readonly limits: SharedLimits
  /** Receives each request of the sources. */
  readonly observe?: ObserveExchange | undefined
}

/** Throws a `PortError` of kind `bad-config` for an App at an enterprise: GitHub lets no App register there. */
export function openSources({ net, config, credential, userAgent, limits, observe }: SourcesOptions): Sources {
  const serverClock = new ServerClock()
  const apiFor = (account: string): RestApi => {
    const transport = observe ? observed(net.transport, net.clock, account, observe) : net.transport
    return { net: { ...net, transport }, config, userAgent, serverClock }
  }
  if (credential.kind === 'token') return new Sources([tokenSource(apiFor(config.url), credential.token, limits)])
  if (config.scope === 'enterprise') {
    const next =
      'Store a classic token with the scope manage_runners:enterprise in github_token, or use the URL of an organization.'
    throw githubError(
      'bad-credential',
      `A GitHub App cannot register runners for the enterprise ${config.url}. ${next}`,
    )
  }
  return new Sources(credential.apps.map((app) => new AppSource(apiFor(`${config.url} App ${app.appId}`), app, limits)))
}

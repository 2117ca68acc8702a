// GitHub as a forge: one account (a URL and a credential) and its runner scale sets.
import { type AdaptiveLimit, adaptiveLimit } from '@dayfly/kit/adaptive-limit'
import type { Forge, ForgeSet, Link } from '@dayfly/runner-set/forge/forge'
import type { ForgeState } from '@dayfly/runner-set/model/forge-event'
import { forgeTraits } from '@dayfly/runner-set/model/forge-traits'
import { PortError } from '@dayfly/runner-set/model/port-error'
import { actionsService } from './calls/actions-api.ts'
import { callsPolicy } from './calls/calls.ts'
import { githubError } from './calls/errors.ts'
import { type ObserveExchange, observed } from './calls/exchange.ts'
import type { Pace } from './calls/pace.ts'
import { type Net, oncePolicy } from './calls/retry.ts'
import { SharedLimits } from './calls/shared-limits.ts'
import { type ConfigUrl, parseConfigUrl } from './config-url.ts'
import { AdminTokens, type GitHubAccess } from './credentials/tokens.ts'
import { GitHubLink } from './link.ts'
import { WorkflowRuns } from './runs/workflow-runs.ts'
import { Claim } from './scale-set/claim.ts'
import { type AnomalyLog, countAnomalies } from './session/protocol-anomaly.ts'
import { minimumVersion, VersionSchedules } from './version/version-schedules.ts'
import { VersionWatch } from './version/version-watch.ts'

export type GitHubForgeOptions = GitHubAccess & {
  /** The owner of message sessions, for example the pod's name. An operator who sees a session conflict finds the holder by it. */
  readonly owner?: string
  readonly forceServer?: boolean
  /** Receives GitHub's deviations from the protocol. */
  readonly log?: AnomalyLog
  /** Receives each request and its result, for metrics. */
  readonly onExchange?: ObserveExchange | undefined
  /** The limits that this account shares with others; absent: it has its own. */
  readonly limits?: SharedLimits
}

/** Throws a `PortError` of kind `bad-config` if the URL cannot be one of GitHub's, or not with this credential. Sends no request. */
export function createGitHubForge(options: GitHubForgeOptions): Forge {
  const { transport, clock, random, credential, onExchange: observe, limits = new SharedLimits() } = options
  const config = parseConfigUrl(options.url, { forceServer: options.forceServer ?? false })
  const userAgent = `${options.userAgent} ScaleSetID/NA`
  const account: Account = {
    config,
    net: { transport: observe ? observed(transport, clock, config.url, observe) : transport, clock, random },
    tokens: new AdminTokens({ net: { transport, clock, random }, config, credential, userAgent, limits, observe }),
    pace: limits.pace(config),
    schedules: new VersionSchedules((path, how) => account.tokens.read(path, how), clock),
    calls: adaptiveLimit(callsPolicy, options.clock),
  }
  return {
    traits: forgeTraits.github,
    hasten: () => {},
    open: (set, remembered, until) => openLink(account, options, { set, remembered, until }),
  }
}

type Account = {
  readonly config: ConfigUrl
  readonly net: Net
  readonly tokens: AdminTokens
  readonly pace: Pace
  readonly schedules: VersionSchedules
  readonly calls: AdaptiveLimit
}

type Opening = { readonly set: ForgeSet; readonly remembered: ForgeState | undefined; readonly until: AbortSignal }

/** Looks for the set once, so that a configuration that cannot work is rejected here. The link reports any other failure as an event. */
async function openLink(account: Account, options: GitHubForgeOptions, opening: Opening): Promise<Link> {
  const { set, remembered, until } = opening
  if (set.name === '' || !Number.isSafeInteger(set.max) || set.max < 1) {
    throw githubError('bad-set', `The runner set needs a name and a maximum of at least 1 (it is ${set.max}).`)
  }
  const userAgent = () => `${options.userAgent} ScaleSetID/${claim.current?.id ?? 'NA'}`
  const service = actionsService(account.net, account.tokens, userAgent)
  const anomalies = countAnomalies(set.name, options.log ?? (() => {}))
  const claim = new Claim({ service, set, account: account.config.url, remembered, anomalies })
  try {
    await claim.find({ policy: oncePolicy, signal: until })
  } catch (error) {
    const hopeless = error instanceof PortError && ['bad-config', 'unauthorized', 'conflict'].includes(error.kind)
    if (hopeless || !(error instanceof PortError)) throw error
  }
  const { pace, tokens, calls, schedules, config } = account
  const minimum = config.hosted ? minimumVersion : undefined
  const versions = new VersionWatch({ service, schedules, minimum, runner: set.runner })
  const runs = new WorkflowRuns({ tokens, clock: account.net.clock, isApp: options.credential.kind !== 'token', until })
  const owner = options.owner ?? 'dayfly'
  return new GitHubLink({ service, claim, pace, tokens, calls, versions, runs, owner, anomalies, until })
}

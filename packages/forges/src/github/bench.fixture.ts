// The start of the tests of GitHub's client: a scripted GitHub, virtual time, and a forge on both.
import type { Transport } from '@dayfly/kit/http'
import { seededRandom } from '@dayfly/kit/random'
import { type VirtualClock, virtualClock } from '@dayfly/kit/virtual-clock'
import type { ForgeSet, Link } from '@dayfly/runner-set/forge/forge'
import type { ForgeState } from '@dayfly/runner-set/model/forge-event'
import { type ForgeEventReader, readForgeEvents } from '../event-reader.fixture.ts'
import { createGitHubForge, type GitHubForgeOptions } from './github.ts'
import { type ScriptedGitHub, scriptedGitHub } from './scripted-github.fixture.ts'
import type { ProtocolAnomaly } from './session/protocol-anomaly.ts'

export const linux: ForgeSet = { name: 'linux', runnerPrefix: 'linux-', labels: ['linux'], group: undefined, max: 10 }

export type Bench = {
  readonly clock: VirtualClock
  readonly github: ScriptedGitHub
  readonly anomalies: ProtocolAnomaly[]
  readonly options: GitHubForgeOptions
  readonly stop: AbortController
  open(remembered?: ForgeState, set?: ForgeSet): Promise<Link>
  /** Opens, and reads events until the first demand. */
  connect(remembered?: ForgeState, set?: ForgeSet): Promise<{ readonly link: Link; readonly reader: ForgeEventReader }>
  /** Moves time from timer to timer until the promise settles or the condition holds. */
  pass<T>(until: Promise<T> | (() => boolean)): Promise<T | undefined>
}

/** Each request takes `latencyMs`, half of it before GitHub sees the request. */
export function createBench(latencyMs = 0): Bench {
  const clock = virtualClock()
  const github = scriptedGitHub(clock)
  const transport: Transport = async (request) => {
    if (latencyMs > 0) await clock.sleep(latencyMs / 2, request.signal)
    const answer = await github.transport(request)
    if (latencyMs > 0) await clock.sleep(latencyMs / 2, request.signal)
    return answer
  }
  const anomalies: ProtocolAnomaly[] = []
  const options: GitHubForgeOptions = {
    url: 'http://github.test/acme',
    credential: { kind: 'token', token: 'ghp_secretsecret' },
    transport,
    clock,
    random: seededRandom(1),
    userAgent: 'dayfly/0.0.0',
    log: (anomaly) => anomalies.push(anomaly),
  }
  const stop = new AbortController()
  const forge = createGitHubForge(options)
  const pass: Bench['pass'] = async (until) => {
    let settled = typeof until === 'function' ? until() : false
    if (typeof until !== 'function')
      until.then(
        () => (settled = true),
        () => (settled = true),
      )
    for (let turn = 0; ; turn++) {
      await clock.advance(0)
      if (typeof until === 'function' ? until() : settled) return typeof until === 'function' ? undefined : until
      const next = clock.next()
      if (next === undefined || turn > 10_000) throw new Error('nothing more can happen')
      await clock.advance(next - clock.now())
    }
  }
  const open: Bench['open'] = async (remembered, set = linux) => {
    const link = await pass(forge.open(set, remembered, stop.signal))
    if (!link) throw new Error('no link')
    return link
  }
  return {
    clock,
    github,
    anomalies,
    options,
    stop,
    open,
    connect: async (remembered, set) => {
      const link = await open(remembered, set)
      const reader = readForgeEvents(link)
      await pass(reader.find('demand'))
      return { link, reader }
    },
    pass,
  }
}

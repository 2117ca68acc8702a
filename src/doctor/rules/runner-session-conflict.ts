// A runner's pod that runs while the forge knows no such runner, or lets another hold its session: it waits for jobs that can never come.

import { textAt } from '../../lib/read-json.ts'
import { isSameAccount } from '../arc/forge-url.ts'
import { durationText } from '../duration-text.ts'
import type { Facts, LiveFacts } from '../facts.ts'
import type { Hit } from '../finding.ts'
import { describeUnread, withLive } from '../live-facts.ts'
import { uidOf } from '../objects/metadata.ts'
import { readRunnerLog } from '../pods/runner-log.ts'
import { type WaitingRunner, waitingRunners } from '../pods/waiting-runners.ts'
import type { Rule, RuleResult } from '../rule.ts'

export const rule: Rule = {
  slug: 'runner-session-conflict',
  code: 'LIV306',
  title: 'A runner runs that the forge gives no job',
  severity: 'warning',
  confidence: 'high',
  modes: ['live'],
  fix: 'guided',
  check,
}

function check(facts: Facts): RuleResult {
  const live = facts.live
  if (live && !live.forge && !live.logs) {
    const why = describeUnread(live.unreadable['Registration']) ?? 'no credentials were given (--github-url)'
    return { skipped: `neither the forge nor logs could be read: ${why}; --logs was not given` }
  }
  const result = withLive(facts, ['Pod', 'EphemeralRunner'], (known) =>
    waitingRunners(facts, known.at).flatMap((runner) => judge(runner, known)),
  )
  const unread = live?.forge ? undefined : describeUnread(live?.unreadable['pods/log'])
  // A log that was not read is not a good one.
  return unread !== undefined && 'hits' in result && result.hits.length === 0
    ? { skipped: `the logs of runners could not be read: ${unread}` }
    : result
}

function judge(waiting: WaitingRunner, live: LiveFacts): readonly Hit[] {
  const cause = causeInLog(waiting, live) ?? causeAtForge(waiting, live)
  if (cause === undefined) return []
  const { pod, runner, container, startedAt } = waiting
  const since = durationText(live.at - startedAt)
  const cure = runner
    ? `Delete its EphemeralRunner${runner.object.name === pod.object.name ? '' : ` ${runner.object.name}`}: a new one takes its place. The pod alone would come back with the same registration.`
    : 'Delete what made the pod, so that the next one registers anew.'
  return [
    {
      object: (runner ?? pod).object,
      document: (runner ?? pod).document,
      path: runner ? ['status', 'phase'] : ['status'],
      container: runner ? undefined : container,
      message: `The runner has run for ${since}, and ${cause}. No job will come to it, though it counts as capacity. ${cure}`,
    },
  ]
}

function causeInLog({ pod }: WaitingRunner, { logs }: LiveFacts): string | undefined {
  const sign = readRunnerLog(logs?.tails.get(uidOf(pod.raw) ?? '') ?? '')
  if (!sign) return undefined
  const says =
    sign.is === 'conflict' ? 'another session holds its registration' : 'the forge no longer has its registration'
  return `its log ends with ${JSON.stringify(sign.line)}: ${says}`
}

/** Only of the account that was asked, and only of a runner whose object says whose it is. */
function causeAtForge({ runner }: WaitingRunner, { forge }: LiveFacts): string | undefined {
  const url = textAt(runner?.raw, 'spec', 'githubConfigUrl')
  if (!forge || !runner || url === undefined || !isSameAccount(url, forge.url)) return undefined
  const name = textAt(runner.raw, 'status', 'runnerName') ?? runner.object.name
  if (forge.registrations.some((each) => each.name === name)) return undefined
  return `${forge.url} has no runner ${name}: its registration is used up or was removed`
}

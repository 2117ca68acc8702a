// Finds runners that wait for jobs that can never come: the forge has no such runner, or another session holds its registration.
import { textAt } from '@dayfly/kit/read-json'
import { isSameAccount } from '../arc/forge-url.ts'
import { durationText } from '../duration-text.ts'
import type { Facts, LiveFacts } from '../facts.ts'
import type { Hit } from '../finding.ts'
import { describeUnread, withLive } from '../live-facts.ts'
import { readRunnerLog } from '../pods/runner-log.ts'
import { type WaitingRunner, waitingRunners } from '../pods/waiting-runners.ts'
import { uidOf } from '../read/objects/metadata.ts'
import type { Rule, RuleResult } from '../rule.ts'

export const rule: Rule = {
  slug: 'runner-session-conflict',
  code: 'LIV306',
  title: 'A runner waits, but the forge can never give it a job',
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
  // A log that was not read proves nothing.
  return unread !== undefined && 'hits' in result && result.hits.length === 0
    ? { skipped: `the logs of runners could not be read: ${unread}` }
    : result
}

function judge(waiting: WaitingRunner, live: LiveFacts): readonly Hit[] {
  const cause = causeInLog(waiting, live) ?? causeAtForge(waiting, live)
  if (cause === undefined) return []
  const { pod, runner, container, startedAt } = waiting
  const since = durationText(live.at - startedAt)
  const advice = runner
    ? `Delete its EphemeralRunner${runner.object.name === pod.object.name ? '' : ` ${runner.object.name}`}: the set creates a new one. If you delete only the pod, it returns with the same registration.`
    : 'Delete the owner of the pod, so that the next runner gets a new registration.'
  return [
    {
      object: (runner ?? pod).object,
      document: (runner ?? pod).document,
      path: runner ? ['status', 'phase'] : ['status'],
      container: runner ? undefined : container,
      message: `The runner has run for ${since}, and ${cause}. It counts as capacity but never gets a job. ${advice}`,
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

/** Compares the runner with the forge's list. Only runners whose object names the account that was read are judged. */
function causeAtForge({ runner }: WaitingRunner, { forge }: LiveFacts): string | undefined {
  const url = textAt(runner?.raw, 'spec', 'githubConfigUrl')
  if (!forge || !runner || url === undefined || !isSameAccount(url, forge.url)) return undefined
  const name = textAt(runner.raw, 'status', 'runnerName') ?? runner.object.name
  if (forge.registrations.some((each) => each.name === name)) return undefined
  return `${forge.url} has no runner ${name}: its registration is used up or was removed`
}

// Finds runners that are configured to wait for their job when they stop, in a pod whose grace period ends before that wait.
// GitHub's actions/runner cancels its job at once, so a longer grace period alone saves nothing.
import { numberAt } from '../../lib/read-json.ts'
import type { Hit } from '../finding.ts'
import type { ContainerView, PodView } from '../pod-view.ts'
import { commandsOf, programOf } from '../pods/commands.ts'
import { hitIn, isWhole, writtenPods } from '../pods/pod-parts.ts'
import type { Rule } from '../rule.ts'

export const rule: Rule = {
  slug: 'grace-too-short',
  code: 'POD112',
  title: 'The kubelet kills the runner before its configured wait for its job ends',
  severity: 'warning',
  confidence: 'high',
  modes: ['static', 'live'],
  fix: 'unsafe',
  check: (facts) => ({ hits: writtenPods(facts).flatMap(check) }),
}

/** Seconds: the default of Kubernetes. */
const defaultGrace = 30

/** A configured wait for the running job. */
type Wait = {
  /** Undefined: until the job ends. */
  readonly seconds: number | undefined
  /** The configuration, for the message. */
  readonly by: string
  readonly confidence: 'high' | 'medium'
}

function check(pod: PodView): readonly Hit[] {
  if (!pod.isRunner || !isWhole(pod)) return []
  const grace = pod.terminationGracePeriodSeconds ?? defaultGrace
  const wait = waitsOf(pod).find(({ seconds }) => grace <= (seconds ?? defaultGrace))
  if (!wait) return []
  const path = [...pod.path, 'terminationGracePeriodSeconds']
  const written = pod.terminationGracePeriodSeconds !== undefined
  const value = wait.seconds === undefined ? 3600 : wait.seconds + 30
  const length = wait.seconds === undefined ? 'until its job ends' : `up to ${wait.seconds} s for its job`
  return [
    hitIn(pod, {
      path: written ? path : pod.path,
      message: `The runner waits ${length} (${wait.by}), but the kubelet kills its pod after ${grace} s${written ? '' : ' (the default)'}. Increase terminationGracePeriodSeconds.`,
      confidence: wait.confidence,
      absent: written ? [] : [path],
      fix: {
        safety: 'unsafe',
        title: `Give the pod a grace period of ${value} s`,
        edits: [{ do: 'set', path, value }],
      },
    }),
  ]
}

function waitsOf({ containers }: PodView): readonly Wait[] {
  return containers.flatMap((container) => [...variableWait(container), ...hookWait(container)])
}

const stopTimeout = 'RUNNER_GRACEFUL_STOP_TIMEOUT'
/** GitHub's own image. It does not read the variable. */
const officialImage = /(^|\/)actions\/actions-runner([:@]|$)/
/** The images of the older ARC, whose entry point reads the variable. A custom image may be built on one of them. */
const olderImage = /(^|\/)summerwind\/actions-runner|\/actions-runner-controller\/actions-runner/

function variableWait({ env, image = '' }: ContainerView): readonly Wait[] {
  const seconds = Number(env[stopTimeout] ?? Number.NaN)
  if (!Number.isFinite(seconds) || seconds <= 0 || officialImage.test(image)) return []
  return [{ seconds, by: stopTimeout, confidence: olderImage.test(image) ? 'high' : 'medium' }]
}

/** Reads a preStop hook. The kubelet sends SIGTERM only after the hook has ended, so the runner works on until then. */
function hookWait({ name, preStop, raw }: ContainerView): readonly Wait[] {
  if (!preStop) return []
  const by = `the preStop hook of ${name}`
  const action = numberAt(raw, 'lifecycle', 'preStop', 'sleep', 'seconds')
  const commands = commandsOf({ words: preStop.exec ?? [] })
  if (commands.some(({ loop, limited, counted }) => loop !== undefined && !limited && !counted))
    return [{ seconds: undefined, by, confidence: 'high' }]
  const sleeps = commands.map((command) => (programOf(command) === 'sleep' ? secondsOf(command.words[1]) : undefined))
  const longest = Math.max(...[action, ...sleeps].map((seconds) => seconds ?? 0))
  return longest >= defaultGrace ? [{ seconds: longest, by, confidence: 'high' }] : []
}

function secondsOf(word: string | undefined): number | undefined {
  const [, count, unit = 's'] = /^(\d{1,9})([smhd]?)$/.exec(word ?? '') ?? []
  if (count === undefined) return undefined
  return Number(count) * ({ m: 60, h: 3600, d: 86_400 }[unit] ?? 1)
}

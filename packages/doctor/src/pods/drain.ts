// Finds out what a runner does with its job when its pod stops, as far as the configuration in sight shows it.
import { fieldsAt, listAt, numberAt, textAt } from '@dayfly/kit/read-json'
import type { Facts } from '../facts.ts'
import type { ContainerView, PodView } from '../pod-view.ts'
import { objectsOf } from '../read/objects/by-kind.ts'
import { commandsOf, programOf } from '../read/shell/commands.ts'

/** Seconds: the default of Kubernetes. */
export const defaultGrace = 30

/** A configured wait for the running job. */
type Wait = {
  /** Undefined: until the job ends. */
  readonly seconds: number | undefined
  /** The configuration, for the message. */
  readonly by: string
  readonly confidence: 'high' | 'medium'
}

/** `cancels`: it ends its job at once, with any grace period. `unknown`: that depends on a configuration that is not in sight. */
type Drain = 'waits' | 'cancels' | 'unknown'

/** Returns the configured waits of the pod's containers. */
export function waitingSteps(pod: PodView, facts: Facts): readonly Wait[] {
  const ofContainers = pod.containers.flatMap((container) => [...variableWait(container), ...hookWait(container)])
  return [...ofContainers, ...shutdownWait(pod, facts)]
}

/** Returns what the runner of the pod does on SIGTERM. A grace period that someone raised shows that it is meant to wait. */
export function drainOf(pod: PodView, facts: Facts): Drain {
  const runner = pod.containers.find(({ name }) => name === pod.runner)
  if (waitingSteps(pod, facts).length > 0) return 'waits'
  const isRaised = (pod.terminationGracePeriodSeconds ?? defaultGrace) > defaultGrace
  // A hook that calls a script may wait for anything.
  if (isRaised && runner?.preStop) return 'waits'
  const family = familyOf(runner)
  if (family === 'github' || (family === 'gitea' && configurationOf(runner, pod, facts) !== 'elsewhere'))
    return 'cancels'
  return isRaised ? 'waits' : 'unknown'
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

/** Gitea's and Forgejo's runners cancel their jobs at once unless their configuration has a `shutdown_timeout`. */
function shutdownWait(pod: PodView, facts: Facts): readonly Wait[] {
  const runner = pod.containers.find(({ name }) => name === pod.runner)
  if (!isOfGitea(runner)) return []
  return mountedTexts(runner, pod, facts).flatMap(({ text, from }) => {
    const written = /^[ \t]+shutdown_timeout:[ \t]*["']?([\dhms.]{1,20})["']?[ \t]*(?:#.*)?$/m.exec(text)?.[1]
    const seconds = [...(written ?? '').matchAll(/(\d{1,9}(?:\.\d{1,9})?)(h|m|s)/g)].reduce(
      (sum, [, count, unit]) => sum + Number(count) * ({ h: 3600, m: 60 }[unit ?? ''] ?? 1),
      0,
    )
    return seconds > 0 ? [{ seconds, by: `shutdown_timeout in the ConfigMap ${from}`, confidence: 'high' }] : []
  })
}

/** Returns where the configuration of Gitea's or Forgejo's runner is. Without a file it has its defaults. */
function configurationOf(
  runner: ContainerView | undefined,
  pod: PodView,
  facts: Facts,
): 'none' | 'in sight' | 'elsewhere' {
  if (!runner) return 'elsewhere'
  const isFlag = (word: string) => /^(--config(=.*)?|-c)$/.test(word)
  const isNamed = 'CONFIG_FILE' in runner.env || commandsOf(runner).some(({ words }) => words.some(isFlag))
  if (!isNamed) return 'none'
  return mountedTexts(runner, pod, facts).some(({ text }) => /^runner:/m.test(text)) ? 'in sight' : 'elsewhere'
}

/** Returns the texts of the ConfigMaps that the container mounts, as far as the input has them. */
function mountedTexts(runner: ContainerView | undefined, pod: PodView, facts: Facts) {
  const mounted = new Set(Object.values(runner?.mounts ?? {}))
  const names = pod.volumes.flatMap(({ name, raw }) => {
    if (!mounted.has(name)) return []
    const sources = [raw, ...listAt(raw, 'projected', 'sources')]
    return sources.flatMap((source) => textAt(source, 'configMap', 'name') ?? [])
  })
  if (names.length === 0) return []
  return objectsOf(facts, 'ConfigMap').flatMap(({ object, raw }) => {
    const namespace = pod.object.namespace
    const isNear = (object.namespace ?? namespace) === (namespace ?? object.namespace)
    if (!names.includes(object.name) || !isNear) return []
    return Object.values(fieldsAt(raw, 'data') ?? {}).flatMap((text) =>
      typeof text === 'string' ? [{ text: text.slice(0, 100_000), from: object.name }] : [],
    )
  })
}

/** Whether the container runs the runner of Gitea or Forgejo. */
export function isOfGitea(runner: ContainerView | undefined): boolean {
  return familyOf(runner) === 'gitea'
}

type Family = 'github' | 'gitea' | 'other'

/** GitHub's runner, that of Gitea and Forgejo, or one of which nothing is known. */
function familyOf(runner: ContainerView | undefined): Family {
  if (!runner) return 'other'
  const { image = '', env, words } = runner
  const names = Object.keys(env)
  if (/act[_-]runner|(gitea|forgejo)[^/]*[-/]runner/.test(image) || names.some((name) => name.startsWith('GITEA_')))
    return 'gitea'
  if (olderImage.test(image)) return 'github'
  const isGitHub =
    /(^|[/-])(github|gha|github-actions|actions)-runners?([:@-]|$)|(myoung34|summerwind)\//.test(image) ||
    words.some((word) => /\/(actions-runner|home\/runner)\/run\.sh/.test(word)) ||
    names.some((name) => /^(ACTIONS_RUNNER_|RUNNER_SCALE_SET)/.test(name))
  return isGitHub ? 'github' : 'other'
}

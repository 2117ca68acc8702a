// The life of a runner at Bitbucket: created, connected, cordoned, silent, removed (docs/reference/bitbucket.md#s3-6).
import { randomName, uuid } from '@dayfly/kit/ids'
import type { Emulation } from './emulation.ts'
import { bitbucketError } from './refusal.ts'
import type { Place, Runner, RunnerStatus } from './state.ts'
import { completeStep, startStep } from './steps.ts'

const platforms: readonly string[] = ['linux', 'linux.arm64', 'linux.shell', 'macos', 'windows']
const customLabelsMax = 10

export type RunnerBody = { readonly name: string; readonly labels: readonly string[] | undefined }

export function createRunner(emulation: Emulation, place: Place, { name, labels = [] }: RunnerBody): Runner {
  const { clock, random, state, knobs } = emulation
  const count = [...state.runners.values()].filter((runner) => runner.place === place).length
  if (count >= knobs.runnersMax) {
    throw bitbucketError(400, `The runner limit of ${knobs.runnersMax} is exceeded.`)
  }
  const now = clock.now()
  const runner: Runner = {
    uuid: uuid(random),
    place,
    client: { id: randomName(random, 32), secret: randomName(random, 64) },
    createdAt: now,
    name,
    labels: allLabels(labels),
    updatedAt: now,
    stateAt: now,
    process: 'none',
    driver: 'stub',
    disabled: false,
    enabled: false,
    unhealthy: false,
    step: undefined,
    steps: 0,
    idleSince: now,
  }
  state.runners.set(runner.uuid, runner)
  return runner
}

/** Adds the labels that no runner can lack. */
export function allLabels(labels: readonly string[]): readonly string[] {
  const custom = labels.filter((label) => label !== 'self.hosted' && !platforms.includes(label))
  const wrong = labels.find((label) => !/^[a-z0-9]+(\.[a-z0-9]+)*$/.test(label))
  if (wrong !== undefined) throw bitbucketError(400, `The label ${wrong} is not valid.`)
  if (custom.length > customLabelsMax) throw bitbucketError(400, `A runner has at most ${customLabelsMax} labels.`)
  const platform = labels.find((label) => platforms.includes(label)) ?? 'linux'
  return [...new Set(['self.hosted', platform, ...labels])]
}

export function statusOf({ process, disabled, enabled, unhealthy }: Runner): RunnerStatus {
  if (disabled) return 'DISABLED'
  if (process === 'none') return 'UNREGISTERED'
  if (process === 'gone') return 'OFFLINE'
  if (unhealthy) return 'UNHEALTHY'
  return enabled ? 'ENABLED' : 'ONLINE'
}

/** Records that its status or its step changed. */
export function touch({ clock }: Emulation, runner: Runner): void {
  runner.stateAt = clock.now()
  runner.updatedAt = runner.stateAt
}

/** The runner's process starts. It asks for a step at once and then in its interval. */
export function connectRunner(emulation: Emulation, runner: Runner): void {
  const { deadlines } = emulation
  for (const name of ['silent', 'lost']) deadlines.clear(`${name}:${runner.uuid}`)
  runner.process = 'running'
  runner.driver = 'stub'
  runner.idleSince = emulation.clock.now()
  touch(emulation, runner)
  askForStep(emulation, runner)
}

/** A request of the runner's own process arrived. The runner is online until the process is silent. */
export function hearRunner(emulation: Emulation, runner: Runner): void {
  emulation.deadlines.clear(`ask:${runner.uuid}`)
  if (runner.process !== 'running') {
    runner.process = 'running'
    runner.idleSince = emulation.clock.now()
    touch(emulation, runner)
  }
  runner.driver = 'process'
  watchSilence(emulation, runner)
}

/** A stub runner asks for the step that the server has given it. */
export function askForStep(emulation: Emulation, runner: Runner): void {
  const { knobs, deadlines } = emulation
  if (runner.process !== 'running' || runner.driver !== 'stub') return
  runner.enabled = false
  const { step } = runner
  if (step?.state === 'READY') startStep(emulation, step, runner)
  if (step?.state !== 'IN_PROGRESS')
    deadlines.set(`ask:${runner.uuid}`, knobs.pickUpMs, () => askForStep(emulation, runner))
}

/** The runner's process is gone. The server notices later, and gives up its step later still. */
export function loseRunner(emulation: Emulation, runner: Runner): void {
  const { deadlines } = emulation
  runner.process = 'silent'
  deadlines.clear(`ask:${runner.uuid}`)
  if (runner.step) deadlines.clear(`run:${runner.step.uuid}`)
  watchSilence(emulation, runner)
}

function watchSilence(emulation: Emulation, runner: Runner): void {
  const { knobs, deadlines } = emulation
  deadlines.set(`silent:${runner.uuid}`, knobs.silentS * 1_000, () => {
    runner.process = 'gone'
    touch(emulation, runner)
  })
  deadlines.set(`lost:${runner.uuid}`, knobs.stepLostS * 1_000, () => {
    if (runner.step) completeStep(emulation, runner.step, 'ERROR', 'The runner is lost.')
  })
}

/** `DISABLED` cordons the runner: it finishes a step that it has been given, and gets no other. */
export function changeStatus(emulation: Emulation, runner: Runner, status: unknown): void {
  if (status !== 'DISABLED' && status !== 'ENABLED') throw bitbucketError(400, 'The status is not valid.')
  if (runner.disabled === (status === 'DISABLED')) return
  runner.disabled = status === 'DISABLED'
  runner.enabled = status === 'ENABLED'
  touch(emulation, runner)
}

/** Removes the registration. A step of the runner fails. */
export function removeRunner(emulation: Emulation, runner: Runner): void {
  const { state, deadlines } = emulation
  state.runners.delete(runner.uuid)
  runner.process = 'gone'
  for (const name of ['ask', 'silent', 'lost']) deadlines.clear(`${name}:${runner.uuid}`)
  if (runner.step) completeStep(emulation, runner.step, 'ERROR', 'The runner was deleted.')
}

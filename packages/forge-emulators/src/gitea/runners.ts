// The life of a runner at Gitea: registered, heard, disabled, deleted.
import type { Instant } from '@dayfly/kit/clock'
import { uuid } from '@dayfly/kit/ids'
import { dialects } from './dialect.ts'
import { type Emulation, stamp } from './emulation.ts'
import { hexToken, letterToken } from './random-text.ts'
import type { Place, RegistrationToken, Repository, Runner, Task } from './state.ts'
import { oldestFor } from './waiting.ts'

/** Names are shortened without an error. The server keeps room for an ellipsis of three characters, and adds one of one character. */
const nameMax = 255
const ellipsisRoom = 3

export type RunnerBody = {
  readonly name: string
  readonly labels: readonly string[]
  readonly version: string
  readonly ephemeral: boolean
  readonly cancels: boolean
}

export function createRunner(emulation: Emulation, place: Place, body: RunnerBody): Runner {
  const { random, state } = emulation
  const { version, labels, ephemeral, cancels } = body
  const name = body.name.length > nameMax ? `${body.name.slice(0, nameMax - ellipsisRoom)}…` : body.name
  const runner: Runner = {
    id: ++state.ids.runner,
    uuid: uuid(random),
    token: hexToken(random),
    place,
    name,
    ephemeral,
    version,
    labels,
    labelSet: new Set(labels),
    disabled: false,
    cancels,
    disabledAt: 0,
    isDeleted: false,
    lastOnline: 0,
    lastActive: 0,
    running: new Set(),
    tasks: 0,
    isStub: false,
    stubTask: undefined,
    stubSince: 0,
  }
  state.runners.set(runner.id, runner)
  state.runnersByUuid.set(runner.uuid, runner)
  state.runnersByName.set(name, (state.runnersByName.get(name) ?? new Set()).add(runner))
  state.listed.push(runner)
  place.runners.push(runner)
  return runner
}

/** Returns the active registration token of the place. It is the same until it is reset. */
export function registrationToken({ random, state }: Emulation, place: Place): RegistrationToken {
  if (place.token?.isActive) return place.token
  const token = { value: letterToken(random), place, isActive: true }
  place.token = token
  state.tokens.set(token.value, token)
  return token
}

/** Invalidates the registration token, as the button of the web page does. */
export function resetRegistrationToken(emulation: Emulation, place: Place): void {
  if (place.token) place.token.isActive = false
  registrationToken(emulation, place)
}

/** Records a call of the runner. @param isReport whether the call is about a task */
export function hearRunner(emulation: Emulation, runner: Runner, isReport: boolean): void {
  const { heartbeatMs } = dialects[emulation.knobs.dialect]
  const now = stamp(emulation)
  if (now - runner.lastOnline >= heartbeatMs.contact) runner.lastOnline = now
  if (isReport && now - runner.lastActive >= heartbeatMs.report) runner.lastActive = now
}

/** Returns the last call and the last report. A stub runner makes no real calls, so its times are computed. */
export function contactOf(
  emulation: Emulation,
  runner: Runner,
): { readonly online: Instant; readonly active: Instant } {
  const { lastOnline: online, lastActive: active, stubTask, isStub } = runner
  if (!isStub) return { online, active }
  if (!stubTask) return { online: stamp(emulation), active }
  const report = lastReport(emulation, stubTask.startedAt)
  return { online: Math.max(online, stubTask.startedAt, report), active: Math.max(active, report) }
}

/** Returns when a stub runner last reported about its task; 0 for never. */
function lastReport({ clock, knobs: { reportMs } }: Emulation, startedAt: Instant): Instant {
  if (reportMs === 0) return 0
  const reports = Math.floor((clock.now() - startedAt) / reportMs)
  return reports > 0 ? startedAt + reports * reportMs : 0
}

/** Returns when the runner last reported about the task, or when the task began. */
export function reportedAt(emulation: Emulation, task: Task): Instant {
  if (task.runner.stubTask !== task) return task.updatedAt
  return Math.max(task.updatedAt, lastReport(emulation, task.startedAt))
}

export type RunnerStatus = 'offline' | 'idle' | 'active'

export function statusOf(emulation: Emulation, runner: Runner): RunnerStatus {
  const { clock, knobs } = emulation
  const { online, active } = contactOf(emulation, runner)
  if (clock.now() - online > knobs.onlineMs) return 'offline'
  return clock.now() - active > knobs.busyMs ? 'idle' : 'active'
}

/** Sorts the runners as the list shows them. Repeated sorts of almost the same order are cheap. */
export function sortRunners(emulation: Emulation, runners: Runner[]): readonly Runner[] {
  const online = (runner: Runner) => contactOf(emulation, runner).online
  if (dialects[emulation.knobs.dialect].runnerOrder === 'contact') {
    return runners.sort((one, other) => online(other) - online(one) || one.id - other.id)
  }
  const rank = (runner: Runner) => ['active', 'idle', 'offline'].indexOf(statusOf(emulation, runner))
  return runners.sort(
    (one, other) =>
      rank(one) - rank(other) ||
      Number(one.disabled) - Number(other.disabled) ||
      online(other) - online(one) ||
      one.id - other.id,
  )
}

/** A disabled runner finishes its task and gets no other. */
export function disableRunner(emulation: Emulation, runner: Runner, disabled: boolean): void {
  if (runner.disabled === disabled) return
  runner.disabled = disabled
  runner.disabledAt = emulation.clock.now()
  raiseTasksVersion(emulation, runner.place)
  if (!disabled) emulation.unsettled.runners.add(runner)
}

/** Counts a change at the place and at all places above it. */
export function raiseTasksVersion({ state }: Emulation, place: Place): void {
  state.site.tasksVersion++
  if (place.kind !== 'site') place.tasksVersion++
}

/** Counts a job that became ready. */
export function raiseJobVersion(emulation: Emulation, repository: Repository): void {
  raiseTasksVersion(emulation, repository)
  repository.owner.tasksVersion++
}

/** Removes the registration. A task of the runner stays as it is, and no report about it is accepted any more. */
export function deleteRunner(emulation: Emulation, runner: Runner): void {
  const { state } = emulation
  if (runner.isDeleted) return
  runner.isDeleted = true
  dropStubTask(emulation, runner)
  state.runners.delete(runner.id)
  state.runnersByUuid.delete(runner.uuid)
  const named = state.runnersByName.get(runner.name)
  named?.delete(runner)
  if (named?.size === 0) state.runnersByName.delete(runner.name)
  for (const list of [state.listed, runner.place.runners]) list.splice(list.indexOf(runner), 1)
  quietStub(emulation, runner)
}

/** Ends the reports of a stub runner about its task. The task goes on at the server. */
export function dropStubTask(emulation: Emulation, runner: Runner): void {
  const { stubTask: task } = runner
  if (!task) return
  task.updatedAt = reportedAt(emulation, task)
  emulation.deadlines.clear(`run:${task.id}`)
  runner.stubTask = undefined
}

/** Ends the polling of a stub runner. A job that it was about to take goes to another one. */
export function quietStub(emulation: Emulation, runner: Runner): void {
  const { deadlines, state, unsettled, idleStubs } = emulation
  idleStubs.remove(runner)
  if (!deadlines.has(`ask:${runner.id}`)) return
  deadlines.clear(`ask:${runner.id}`)
  const job = oldestFor(state, runner)
  if (job) unsettled.jobs.add(job)
}

// Atlassian's autoscaler 3.7.0 with its cleaner, against the emulated Bitbucket: its rules and its calls, with the pauses between them
// (docs/reference/bitbucket.md#s4-1). Its runners start as fast as ours.
import { createBitbucketEmulator } from '@dayfly/forge-emulators/bitbucket/emulator'
import { jsonBody, type Method, noBody, type Transport } from '@dayfly/kit/http'
import { randomInteger, seededRandom } from '@dayfly/kit/random'
import { type VirtualClock, virtualClock } from '@dayfly/kit/virtual-clock'
import { percentageStrict } from '@dayfly/runner-set/core/strategy/percentage'
import type { FleetRunner } from '@dayfly/runner-set/model/world'
import { mostInAnHour } from '../../test/bitbucket/checks.ts'
import { counted } from '../../test/bitbucket/network.ts'
import { isCleanable, type ListedRunner } from './cleaner.ts'
import { percentiles, queueAll, type Result, RunnerHours, tallySteps } from './measure.ts'
import { daysMs, type QueuedStep } from './workload.ts'

export type Case = { readonly min: number; readonly max: number; readonly noRunner: 'fail' | 'queue' }

const coolDownMs = 300_000
const pauseMs = 5_000
const labels = ['self.hosted', 'linux', 'docker', 'autoscaler.created']
const runnersPath = '/2.0/workspaces/acme/pipelines-config/runners'
export const thresholds = {
  scaleUpThreshold: 0.5,
  scaleDownThreshold: 0.2,
  scaleUpMultiplier: 1.5,
  scaleDownMultiplier: 0.5,
}

export async function runOfficial(
  options: Case,
  steps: readonly QueuedStep[],
  pollMs: number,
): Promise<Omit<Result, 'name'>> {
  const clock = virtualClock()
  const emulator = createBitbucketEmulator({
    clock,
    random: seededRandom(1),
    workspaces: [{ slug: 'acme', repositories: ['app'] }],
    credentials: [{ kind: 'access-token', token: 'wat' }],
    knobs: { latencyMs: 150, noRunner: options.noRunner },
  })
  const calls: number[] = []
  const hours = new RunnerHours()
  const call = caller(counted(emulator.transport, calls, () => clock.now()))
  const random = seededRandom(2)
  const start = (name: string) => {
    hours.began(name, clock.now())
    const startMs = randomInteger(random, 5_000, 25_000) + randomInteger(random, 3_000, 8_000)
    clock.after(startMs, () => emulator.control.stub.online(name))
  }
  const autoscaler: Autoscaler = { clock, call, options, start, ended: (id) => hours.ended(id, clock.now()) }
  const until = clock.now() + daysMs + 3_900_000
  void repeat(clock, until, pollMs, () => scale(autoscaler))
  void repeat(clock, until, pollMs, () => clean(autoscaler))
  await clock.advance(300_000)
  const tally = tallySteps(emulator.control)
  queueAll(clock, emulator.control, steps)
  await clock.advance(daysMs + 3_600_000)
  emulator.close()
  const { failed, killed, reused, waits } = tally
  const runnerHours = hours.total(clock.now())
  const callsPerHourMax = mostInAnHour(calls)
  return { steps: steps.length, failed, killed, reused, waits: percentiles(waits), callsPerHourMax, runnerHours }
}

type Autoscaler = {
  readonly clock: VirtualClock
  readonly call: ReturnType<typeof caller>
  readonly options: Case
  readonly start: (id: string) => void
  readonly ended: (id: string) => void
}

async function repeat(clock: VirtualClock, until: number, pollMs: number, cycle: () => Promise<void>): Promise<void> {
  while (clock.now() < until) {
    await cycle()
    await clock.sleep(pollMs)
  }
}

/** One cycle: a lookup of the workspace, a list, and then one change after the other. */
async function scale({ clock, call, options, start }: Autoscaler): Promise<void> {
  await call('GET', '/2.0/workspaces/acme')
  const fleet = (await list(call)).map(fleetRunner)
  const { creates, cordons } = percentageStrict(fleet, { ...options, ...thresholds, coolDownMs }, clock.now())
  for (let index = 0; index < creates; index++) {
    if ((await list(call)).length < 100) start(idOf(await call('POST', runnersPath, { name: 'linux', labels })))
    await clock.sleep(pauseMs)
  }
  for (const id of cordons) {
    await call('PUT', `/internal/workspaces/acme/pipelines-config/runners/${encodeURIComponent(id)}/state`, {
      status: 'DISABLED',
    })
    await clock.sleep(pauseMs)
  }
}

/** One cycle of the cleaner. The runner's Job ends with its registration. */
async function clean({ clock, call, ended }: Autoscaler): Promise<void> {
  await call('GET', '/2.0/workspaces/acme')
  for (const runner of await list(call)) {
    if (!isCleanable(runner, coolDownMs, clock.now())) continue
    await call('DELETE', `${runnersPath}/${encodeURIComponent(runner.uuid)}`)
    ended(runner.uuid.slice(1, -1))
    await clock.sleep(pauseMs)
  }
}

async function list(call: Autoscaler['call']): Promise<readonly ListedRunner[]> {
  const { values } = Object(await call('GET', runnersPath, undefined, 'pagelen=100'))
  return values
}

function fleetRunner({ uuid, state, created_on: createdOn }: ListedRunner): FleetRunner {
  const step = state.step === undefined ? 'absent' : state.step === null ? 'null' : 'present'
  return {
    id: uuid,
    isOwn: true,
    status: state.status as FleetRunner['status'],
    step,
    createdAt: Date.parse(createdOn),
  }
}

/** The emulator finds a runner by its UUID without braces, too. */
function idOf(created: unknown): string {
  return String(Object(created).uuid).slice(1, -1)
}

function caller(transport: Transport) {
  const headers = { authorization: 'Bearer wat', accept: 'application/json' }
  return async (method: Method, path: string, body?: unknown, search?: string): Promise<unknown> => {
    const sent = body === undefined ? noBody : jsonBody(body)
    const answer = await transport({ method, path, query: {}, search, headers, body: sent, expect: 'whole' })
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status}`)
    return answer.body.kind === 'json' ? answer.body.value : undefined
  }
}

// The production controller against the emulated Bitbucket, over the days of the workload in virtual time.
import { randomInteger, seededRandom } from '@dayfly/kit/random'
import { mostInAnHour } from '../../test/bitbucket/checks.ts'
import { openWorld } from '../../test/bitbucket/world.ts'
import { percentiles, queueAll, type Result, RunnerHours, tallySteps } from './measure.ts'
import type { Case } from './official.ts'
import { daysMs, type QueuedStep } from './workload.ts'

export async function runDayfly(
  options: Case,
  steps: readonly QueuedStep[],
  percentage?: object,
): Promise<Omit<Result, 'name'>> {
  const { min, max, noRunner } = options
  const random = seededRandom(2)
  const strategy = percentage === undefined ? {} : { percentageRunnersIdle: percentage }
  const world = await openWorld({
    seed: 1,
    sets: [{ namespace: 'a', label: 'docker', min, max, ...strategy }],
    knobs: { latencyMs: 150, noRunner },
    apiMs: 0,
    startMs: () => randomInteger(random, 5_000, 25_000),
    connectMs: () => randomInteger(random, 3_000, 8_000),
  })
  const { clock, emulator, registry } = world
  const hours = new RunnerHours()
  registry.subscribe('pods', ({ type, object }) => {
    if (type === 'ADDED') hours.began(object.metadata.name, clock.now())
    if (type === 'DELETED') hours.ended(object.metadata.name, clock.now())
  })
  const process = world.start()
  await clock.advance(300_000)
  const tally = tallySteps(emulator.control)
  queueAll(clock, emulator.control, steps)
  await clock.advance(daysMs + 3_600_000)
  const runnerHours = hours.total(clock.now())
  void process.controller.stop()
  await clock.advance(60_000)
  emulator.close()
  const { failed, killed, reused, waits } = tally
  const callsPerHourMax = mostInAnHour(world.calls)
  return { steps: steps.length, failed, killed, reused, waits: percentiles(waits), callsPerHourMax, runnerHours }
}

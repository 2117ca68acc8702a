// Measures how fast one controller starts and removes runners against a real API server, beside a plain loop of the same requests.
//   npm run bench:scale-up -- [--latency MS] [--pods N] [--repetitions N] [--only lives|sets|live|tick] [--many N] [--profile FOLDER] [--json]
// `--pods` is the number of runners beside the loop, and `--many` that of the other two measurements.
// With --json, each measurement is a line of JSON.
import { parseArgs } from 'node:util'
import { onInterruption } from '../scripts/control-plane/run-beside.ts'
import { compare, type Programs } from './scale-up/compare.ts'
import { measureLivePods, measureManySets } from './scale-up/many.ts'
import { openPlace, type Place } from './scale-up/place.ts'
import { bundle, dayflyProgram, inFolder } from './scale-up/programs.ts'
import { comparisonText, livePodsText, manySetsText, tickText } from './scale-up/report.ts'
import { measureTicks } from './scale-up/tick.ts'

const { values } = parseArgs({
  options: {
    latency: { type: 'string', multiple: true, default: ['0', '50', '150', '300'] },
    pods: { type: 'string', default: '1000' },
    repetitions: { type: 'string', default: '3' },
    only: { type: 'string' },
    many: { type: 'string' },
    profile: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
})
const wanted = (part: string) => values.only === undefined || values.only === part
const print = (line: object, text: string) => process.stdout.write(values.json ? `${JSON.stringify(line)}\n` : text)

if (wanted('tick')) {
  for (const surplus of [false, true]) {
    const tick = measureTicks(10_000, surplus)
    print({ tick: { ...tick, surplus } }, tickText(tick, surplus))
  }
}
if (wanted('lives') || wanted('live') || wanted('sets')) {
  const signal = onInterruption()
  await inFolder((folder) => measure(folder, signal))
}

async function measure(folder: string, signal: AbortSignal): Promise<void> {
  const programs: Programs = {
    dayfly: dayflyProgram,
    loop: await bundle(folder, 'scale-up-loop'),
    forge: await bundle(folder, 'scale-up-forge'),
  }
  if (wanted('lives')) {
    const shape = { pods: Number(values.pods), repetitions: Number(values.repetitions), profile: values.profile }
    await withPlace(folder, signal, async (place) => {
      for (const latency of values.latency) {
        signal.throwIfAborted()
        const comparison = await compare(place, programs, { ...shape, latencyMs: Number(latency) })
        print(comparison, comparisonText(comparison))
      }
    })
  }
  const many = values.many === undefined ? 10_000 : Number(values.many)
  if (wanted('sets')) {
    await withPlace(folder, signal, async (place) => {
      const shape = { sets: Math.ceil(many / 50), runnersOfEach: 50, latencyMs: 150 }
      const sets = await measureManySets(place, programs, shape)
      print({ sets }, manySetsText(sets))
    })
  }
  if (wanted('live')) {
    await withPlace(folder, signal, async (place) => {
      const live = await measureLivePods(place, programs, many)
      print({ live }, livePodsText(live))
    })
  }
}

/** Opens a new API server for the work, because the objects of an earlier measurement would slow it down. */
async function withPlace(folder: string, signal: AbortSignal, work: (place: Place) => Promise<void>): Promise<void> {
  const place = await openPlace(folder, signal)
  try {
    await work(place)
  } finally {
    await place.close()
  }
}

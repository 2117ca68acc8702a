// Measures many lives of runners through a real API server and controller manager, and the same load as plain Jobs beside it.
//   npm run bench:churn -- [--lives N] [--at-once N] [--job-seconds S] [--latency MS] [--window N] [--jobs-for S] [--json]
// A scripted kubelet finishes the pods. The pod garbage collector keeps at most 5,000 ended pods.
import { parseArgs } from 'node:util'
import { onInterruption } from '../scripts/control-plane/run-beside.ts'
import { type Jobs, runJobs } from './churn/jobs.ts'
import { type Lives, runLives } from './churn/lives.ts'
import { jobsText, livesText } from './churn/report.ts'
import { openPlace, type Place } from './scale-up/place.ts'
import { bundle, dayflyProgram, inFolder } from './scale-up/programs.ts'

const { values } = parseArgs({
  options: {
    lives: { type: 'string', default: '20000' },
    'at-once': { type: 'string', default: '100' },
    'job-seconds': { type: 'string', default: '1' },
    latency: { type: 'string', default: '50' },
    window: { type: 'string', default: '2000' },
    'jobs-for': { type: 'string', default: '120' },
    json: { type: 'boolean', default: false },
  },
})
const shape = {
  lives: Number(values.lives),
  atOnce: Number(values['at-once']),
  jobMs: Number(values['job-seconds']) * 1_000,
  latencyMs: Number(values.latency),
  window: Number(values.window),
}
const gc = { 'terminated-pod-gc-threshold': '5000' }
const signal = onInterruption()

await inFolder(async (folder) => {
  const programs = { dayfly: dayflyProgram, forge: await bundle(folder, 'scale-up-forge') }
  const lives = await withPlace(folder, gc, (place) => runLives(place, programs, shape))
  const load = { ...shape, seconds: Number(values['jobs-for']) }
  const jobs = [
    await withPlace(folder, gc, (place) => runJobs(place, { ...load, name: '20 requests a second, the default' })),
    await withPlace(folder, { ...gc, 'kube-api-qps': '1000', 'kube-api-burst': '1000' }, (place) =>
      runJobs(place, { ...load, name: '1,000 requests a second' }),
    ),
  ]
  show(lives, jobs)
})

async function withPlace<T>(
  folder: string,
  controllers: Readonly<Record<string, string>>,
  work: (place: Place) => Promise<T>,
): Promise<T> {
  const place = await openPlace(folder, signal, { workers: 'controllers', controllers })
  try {
    return await work(place)
  } finally {
    await place.close()
  }
}

function show(lives: Lives, jobs: readonly Jobs[]): void {
  const text = [livesText(lives), ...jobs.map(jobsText)].join('\n')
  process.stdout.write(values.json ? `${JSON.stringify({ lives, jobs })}\n` : text)
}

// F2: GitHub removes the registrations of idle runners after some minutes, and each runner leaves with code 0.
import { dayflyNamespace } from '../dayfly.ts'
import { queueJobs } from '../github-set.ts'
import type { Bench, Incident } from '../incident.ts'
import {
  concludeOutage,
  noteSet,
  openSite,
  outageModels,
  ranOnce,
  registrationsMade,
  type Site,
  setOutage,
} from '../outage.ts'
import { note } from '../seen.ts'

const minute = 60_000
const spares = 3

export const forgeRemovesIdle: Incident = {
  id: 'forge-removes-idle',
  code: 'F2',
  title: 'GitHub removes idle runners after minutes, and a warm set starts new ones forever',
  why: [
    'In September 2026 GitHub removed idle just-in-time runners after two to six minutes. The cause is unknown.',
    'The runner logs that its registration no longer exists, and ends with code 0. A runner that did its job ends in the same way.',
    'A set with idle spares replaces each of them. Nothing fails, so nothing shows that the spares are never used.',
    'Dayfly knows which runner had a job. After more than three ends without one, one spare at a time tries, after a wait of up to five minutes, and the set says so. A job still gets its runner at once.',
  ],
  models: [...outageModels, 'The autoscaler without a back-off is Dayfly with that back-off turned off.'],
  sources: ['https://github.com/actions/runner/issues/4726'],
  look: `kubectl -n ${dayflyNamespace} get runnersets,pods`,
  run: async (bench) => {
    const replaced = await showChurn(bench)
    const site = await openSite(bench, { scale: { min: spares, max: 10 }, stays: true })
    const { world, forge, seen } = site
    setOutage(site, 'removes-idle')
    await world.linger(60 * minute)
    const made = registrationsMade(site)
    await noteSet(site, 'remedy', {
      claim: `Dayfly names the cause, and registers ${made} runners in the hour instead of ${replaced}.`,
      conditions: ['Degraded'],
      holds: (shown) => shown.includes('idle-runner-left') && 2 * made < replaced,
    })
    if (bench.keeps) return
    const jobs: string[] = []
    for (let one = 0; one < 6; one++) {
      jobs.push(...queueJobs(forge, 1, 30_000))
      await world.linger(5 * minute)
    }
    const ran = ranOnce(site, jobs)
    note(bench.notebook, world, 'remedy', {
      claim: `A job does not wait for the spares: ${ran} of ${jobs.length} jobs have run, one every five minutes.`,
      command: `kubectl -n ${dayflyNamespace} get pods --watch # counted`,
      output: [`runners: ${seen.made.size}, their exit codes: ${[...new Set(seen.exits.values())].join(', ')}`],
      holds: ran === jobs.length,
    })
    await noteSet(site, 'remedy', {
      claim: 'Jobs between the ends of the spares do not hide the cause.',
      conditions: [],
      holds: (shown) => shown.includes('idle-runner-left'),
    })
    setOutage(site, 'none')
    await world.linger(20 * minute)
    await noteSet(site, 'remedy', {
      claim: `After the outage the ${spares} spares stay, and the reason is gone without a job.`,
      conditions: ['Degraded'],
      holds: (shown) => new RegExp(`builds +0 +${spares} +0 +0 +0`).test(shown) && !shown.includes('idle-runner-left'),
    })
    await concludeOutage(site, [...jobs, ...queueJobs(forge, 4, 30_000)], 3 * minute)
  },
}

/** An hour of an autoscaler that replaces each spare at once. Returns its registrations. */
async function showChurn(bench: Bench): Promise<number> {
  const site = await openSite(bench, {
    scale: { min: spares, max: 10 },
    limits: { leftIdleMax: Number.POSITIVE_INFINITY },
  })
  setOutage(site, 'removes-idle')
  await site.world.linger(60 * minute)
  const made = registrationsMade(site)
  noteEnds(site, made)
  await noteSet(site, 'incident', {
    claim: 'No count shows it: the spares are there, and nothing has failed.',
    conditions: ['Degraded'],
    holds: (shown) => / +0 +[0-3] +0 +[0-3] +0 +10 +True +[^a-z]/.test(shown) && shown.includes('Degraded: False'),
  })
  await site.dayfly.stop()
  return made
}

function noteEnds({ bench, world, seen }: Site, made: number): void {
  const codes = [...new Set(seen.exits.values())]
  note(bench.notebook, world, 'incident', {
    claim: `An autoscaler that keeps ${spares} spares and replaces each one at once registers ${made} runners in an hour, for no job.`,
    command: `kubectl -n ${dayflyNamespace} get pods --watch # counted`,
    output: [`runners: ${seen.made.size}, ended: ${seen.exits.size}, their exit codes: ${codes.join(', ')}`],
    holds: made > 10 * spares && codes.length === 1 && codes[0] === 0,
  })
}

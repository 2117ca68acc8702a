// F1: GitHub counts jobs for the set and gives them to none of its online runners.
import { dayflyNamespace } from '../dayfly.ts'
import { queueJobs } from '../github-set.ts'
import type { Incident } from '../incident.ts'
import { concludeOutage, noteForge, noteSet, openSite, outageModels, registrationsMade, setOutage } from '../outage.ts'

const minute = 60_000
const wanted = 5

export const forgeAssignsNothing: Incident = {
  id: 'forge-assigns-nothing',
  code: 'F1',
  title: 'jobs wait at GitHub for hours, and online runners beside them stay idle',
  why: [
    'GitHub assigns a job to the scale set first, and to one of its runners later. In some incidents the second step does not happen.',
    'Every view is healthy then: the pods run, the runners are online, and the set has as many runners as jobs. In August 2026 27 pods were idle for 17 to 21 hours.',
    'The count of assigned jobs may also stay too high after an incident. No restart helps against that, but the deletion of the scale set at GitHub does.',
    'Dayfly compares three facts: jobs that no runner has, runners that GitHub sees online without a job, and the time since a runner got a job.',
  ],
  models: outageModels,
  sources: [
    'https://github.com/actions/actions-runner-controller/issues/4396',
    'https://github.com/actions/actions-runner-controller/issues/4397',
    'https://github.com/actions/actions-runner-controller/issues/3420',
  ],
  look: `kubectl -n ${dayflyNamespace} get runnersets,pods`,
  run: async (bench) => {
    const site = await openSite(bench, { scale: { max: 2 * wanted }, stays: true })
    const { world, forge } = site
    setOutage(site, 'assigns-nothing')
    const jobs = queueJobs(forge, wanted, 30_000)
    await world.linger(9 * minute)
    noteForge(site, {
      claim: `Nine minutes after ${wanted} jobs were queued, GitHub counts them, sees ${wanted} idle runners, and runs nothing.`,
      holds: (counts) =>
        counts.totalAssignedJobs === wanted && counts.totalIdleRunners === wanted && counts.totalRunningJobs === 0,
    })
    await noteSet(site, 'incident', {
      claim: 'The counts alone look healthy: as many runners as jobs, and no failure.',
      conditions: ['Degraded'],
      holds: (shown) => new RegExp(`builds +${wanted} +${wanted} +0 +0 +0`).test(shown) && shown.includes('False'),
    })
    await world.linger(11 * minute)
    await noteSet(site, 'remedy', {
      claim: 'After ten minutes Dayfly names the cause. It has started no further runner and has ended none.',
      conditions: ['Degraded'],
      holds: (shown) => shown.includes('forge-assigns-nothing') && isUntouched(site),
    })
    if (bench.keeps) return
    setOutage(site, 'none')
    await world.linger(minute)
    await noteSet(site, 'remedy', {
      claim: 'The outage ends: the same runners have the jobs, and the reason is gone.',
      conditions: ['Degraded'],
      holds: (shown) => !shown.includes('forge-assigns-nothing') && isUntouched(site),
    })
    await concludeOutage(site, jobs, 3 * minute)
  },
}

function isUntouched(site: Parameters<typeof registrationsMade>[0]): boolean {
  return site.seen.made.size === wanted && registrationsMade(site) === wanted
}

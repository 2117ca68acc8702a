// F3: GitHub's message queue is ten minutes late.
import { dayflyNamespace } from '../dayfly.ts'
import { queueJobs } from '../github-set.ts'
import type { Incident } from '../incident.ts'
import { concludeOutage, noteForge, noteSet, openSite, outageModels, registrationsMade, setOutage } from '../outage.ts'

const minute = 60_000
const wanted = 5

export const forgeQueueDelayed: Incident = {
  id: 'forge-queue-delayed',
  code: 'F3',
  title: 'the messages of GitHub arrive ten minutes late: jobs wait, and the set shows no demand',
  why: [
    'A scale set learns of its jobs by messages. If their queue is late, the last count is old, and nothing marks it as old.',
    'The jobs wait, and after the end of the outage the messages about starts and ends arrive for runners that are long gone.',
    'An autoscaler that believes each message as it arrives starts runners for jobs that are over, and takes idle runners for broken ones.',
    'Dayfly compares the time of each event with its arrival, and asks GitHub for its registrations: a runner that GitHub calls busy is busy, with or without a message.',
  ],
  models: outageModels,
  sources: [
    'https://github.com/actions/actions-runner-controller/issues/3420',
    'https://github.com/actions/actions-runner-controller/issues/4395',
  ],
  look: `kubectl -n ${dayflyNamespace} get runnersets,pods`,
  run: async (bench) => {
    const site = await openSite(bench, { scale: { max: 2 * wanted }, stays: true })
    const { world, forge } = site
    setOutage(site, 'queue-delayed')
    const jobs = queueJobs(forge, wanted, 2 * minute)
    await world.linger(9 * minute)
    noteForge(site, {
      claim: `Nine minutes after ${wanted} jobs were queued, GitHub has assigned them to the set.`,
      holds: (counts) => counts.totalAssignedJobs === wanted && counts.totalRunningJobs === 0,
    })
    await noteSet(site, 'incident', {
      claim: 'The set shows no demand and starts no runner, because no message has arrived.',
      conditions: ['ForgeConnected'],
      holds: (shown) => / +0 +0 +0 +0 +0 /.test(shown),
    })
    await world.linger(2 * minute)
    await noteSet(site, 'remedy', {
      claim: 'The first message that arrives starts the runners, and the set says how late it is.',
      conditions: ['Degraded'],
      holds: (shown) => shown.includes('forge-events-late'),
    })
    if (bench.keeps) return
    await world.linger(20 * minute)
    const made = registrationsMade(site)
    await noteSet(site, 'remedy', {
      claim: `Late messages start no storm: ${made} registrations for ${wanted} jobs.`,
      conditions: ['Degraded'],
      holds: (shown) => made <= 2 * wanted && !shown.includes('idle-runner-left'),
    })
    setOutage(site, 'none')
    await concludeOutage(site, [...jobs, ...queueJobs(forge, wanted, 30_000)], 5 * minute)
  },
}

// F4: GitHub answers every call with 503 for an hour.
import { dayflyNamespace } from '../dayfly.ts'
import { queueJobs } from '../github-set.ts'
import type { Incident } from '../incident.ts'
import { concludeOutage, noteSet, openSite, outageModels, ranOnce, registrationsMade, setOutage } from '../outage.ts'
import { note } from '../seen.ts'

const minute = 60_000
const early = 4
const late = 6
const spares = 2

export const forgeFailsAnHour: Incident = {
  id: 'forge-fails-an-hour',
  code: 'F4',
  title: 'GitHub answers every call with 503 for an hour',
  why: [
    'An autoscaler that takes a failed answer for zero jobs ends its runners. One that takes it for lost runners starts new ones.',
    'One that tries again without a back-off is limited by GitHub when the outage is over.',
    'Dayfly takes the demand as unknown. Unknown is not zero: it starts and ends no runner, and removes only the pods of runners that have ended.',
    'Its calls wait longer after each failure, so a set sends at most six a minute. The first answer brings the demand of now.',
  ],
  models: [...outageModels, 'The calls of the runners themselves do not fail: they go to other hosts of GitHub.'],
  sources: ['https://www.githubstatus.com/history', 'https://github.com/actions/actions-runner-controller/issues/3595'],
  look: `kubectl -n ${dayflyNamespace} get runnersets,pods`,
  run: async (bench) => {
    const site = await openSite(bench, { scale: { min: spares, max: 20 }, stays: true })
    const { world, forge, seen } = site
    const { control } = forge.emulator
    const first = queueJobs(forge, early, 5 * minute)
    await world.linger(2 * minute)
    setOutage(site, 'fails')
    const before = { request: control.requests().at(-1)?.n ?? 0, pods: seen.made.size }
    const second = queueJobs(forge, late, 30_000)
    await world.linger(59 * minute)
    const calls = control.requests(before.request)
    note(bench.notebook, world, 'incident', {
      claim: `${late} jobs wait for 59 minutes, and GitHub has answered no call of Dayfly.`,
      command: `curl "$GITHUB/_emulator/requests?since=${before.request}" | jq -r '.[].status' | sort | uniq -c`,
      output: [...countedBy(calls.map(({ status }) => String(status)))],
      holds:
        calls.length > 0 &&
        calls.every(({ status }) => status === 503 || status === 'broken') &&
        ranOnce(site, second) === 0,
    })
    await noteSet(site, 'remedy', {
      claim: `The demand is unknown, and no zero. The ${early} jobs that ran have ended well, and the ${spares} spares still run.`,
      conditions: ['Ready', 'ForgeConnected'],
      holds: (shown) =>
        / +(<none>|) +2 +0 +0 +0 /.test(shown) && shown.includes('forge-unreachable') && ranOnce(site, first) === early,
    })
    note(bench.notebook, world, 'remedy', {
      claim: `In the outage Dayfly started ${seen.made.size - before.pods} runners and sent ${calls.length} calls, at most six a minute.`,
      command: `curl "$GITHUB/_emulator/requests?since=${before.request}" | jq length`,
      output: [`${calls.length}`],
      holds: seen.made.size === before.pods && calls.length <= 6 * 59,
    })
    if (bench.keeps) return
    setOutage(site, 'none')
    await world.linger(2 * minute)
    await noteSet(site, 'remedy', {
      claim: 'Two minutes after the outage the set is ready, and the jobs that waited have their runners.',
      conditions: ['Ready', 'ForgeConnected'],
      holds: (shown) =>
        shown.includes('Ready: True') && !shown.includes('forge-unreachable') && registrationsMade(site) > 0,
    })
    await concludeOutage(site, [...first, ...second], 3 * minute)
  },
}

function countedBy(words: readonly string[]): readonly string[] {
  const counts = new Map<string, number>()
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  return [...counts].map(([word, count]) => `${count} ${word}`)
}

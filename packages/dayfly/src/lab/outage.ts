// A set of Dayfly at an emulated GitHub that has outages: what the incidents of the forge share. Each call takes 150 ms.
import { pods, runnerSets, secrets } from '@dayfly/controller/resources'
import type { Outage } from '@dayfly/forge-emulators/github/config'
import { listAt, numberAt, textAt } from '@dayfly/kit/read-json'
import { defaultLimits, type Limits } from '@dayfly/runner-set/model/limits'
import { type Dayfly, dayflyNamespace, startDayfly } from './dayfly.ts'
import { createSet } from './github-set.ts'
import { type GitHubWorld, openGitHub } from './github-world.ts'
import type { Bench } from './incident.ts'
import { tableOf } from './kubectl.ts'
import { find, listIn } from './objects.ts'
import { note } from './seen.ts'
import { watchPods } from './watch-pods.ts'
import type { World } from './world.ts'

const minute = 60_000
const latencyMs = 150

export const outageModels: readonly string[] = [
  'GitHub is the emulator of Dayfly, and the outage is one of its knobs. The controller of Dayfly is the one that is installed on a real cluster.',
  `Each call to GitHub and to the API server takes ${latencyMs} ms. The runners follow a script, and speak with GitHub without a network.`,
]

/** The pods of the set: how many there ever were, and the exit codes of their runners. */
type Seen = { readonly made: Set<string>; readonly exits: Map<string, number> }

export type Site = {
  readonly bench: Bench
  readonly world: World
  readonly forge: GitHubWorld
  readonly dayfly: Dayfly
  readonly seen: Seen
}

type SiteOptions = { readonly scale: object; readonly limits?: Partial<Limits>; readonly stays?: true }

/** Opens a cluster with Dayfly and a set whose idle spares are online. */
export async function openSite(bench: Bench, { scale, limits = {}, ...stays }: SiteOptions): Promise<Site> {
  const { clock, open } = bench.begin()
  const forge = openGitHub(clock, latencyMs)
  const world = await open({ scripts: { runner: forge.runner }, ...stays })
  const settings = { latencyMs, limits: { ...defaultLimits, ...limits } }
  const dayfly = await startDayfly(world, bench.dayfly, forge.emulator.transport, settings)
  const seen: Seen = { made: new Set(), exits: new Map() }
  watchPods(world, dayflyNamespace, {
    changed: (pod) => {
      const { uid = '' } = pod.metadata
      seen.made.add(uid)
      const [status] = listAt(pod, 'status', 'containerStatuses')
      const code = numberAt(status, 'state', 'terminated', 'exitCode')
      if (code !== undefined) seen.exits.set(uid, code)
    },
  })
  await createSet(world, forge, { scale })
  await world.linger(minute)
  return { bench, world, forge, dayfly, seen }
}

export function setOutage({ forge }: Site, outage: Outage): void {
  forge.emulator.control.knobs({ outage })
}

/** How many registrations Dayfly has asked for. */
export function registrationsMade({ forge }: Site): number {
  return forge.emulator.control.requests().filter(({ path }) => path.endsWith('/generatejitconfig')).length
}

/** The jobs that ran once and succeeded. */
export function ranOnce({ forge }: Site, jobs: readonly string[]): number {
  const { control } = forge.emulator
  return jobs.filter((id) => control.job(id)?.runs === 1 && control.job(id)?.result === 'succeeded').length
}

export type SetClaim = {
  readonly claim: string
  /** The conditions to show. Each is one line. */
  readonly conditions: readonly string[]
  readonly holds: (shown: string) => boolean
}

/** Notes the set as kubectl shows it, and some of its conditions. */
export async function noteSet(
  { bench, world }: Site,
  part: 'incident' | 'remedy',
  { claim, conditions, holds }: SetClaim,
): Promise<void> {
  const set = await find(world, runnerSets, { namespace: dayflyNamespace, name: 'builds' })
  const lines = listAt(set, 'status', 'conditions').flatMap((condition) => {
    const type = textAt(condition, 'type') ?? ''
    if (!conditions.includes(type)) return []
    return [`${type}: ${textAt(condition, 'status')}: ${textAt(condition, 'reason')}: ${textAt(condition, 'message')}`]
  })
  const output = [...(await tableOf(world, runnerSets, dayflyNamespace)), ...lines]
  const command = `kubectl -n ${dayflyNamespace} get runnersets`
  note(bench.notebook, world, part, { claim, command, output, holds: holds(output.join('\n')) })
}

/** Notes what GitHub itself counts for the set. */
export function noteForge(
  { bench, world, forge }: Site,
  { claim, holds }: { readonly claim: string; readonly holds: (counts: ForgeCounts) => boolean },
): void {
  const counts = forgeCounts(forge)
  note(bench.notebook, world, 'incident', {
    claim,
    command: 'curl "$GITHUB/_emulator/state" | jq -c \'.scaleSets[0].statistics\'',
    output: [JSON.stringify(counts)],
    holds: holds(counts),
  })
}

export type ForgeCounts = ReturnType<typeof forgeCounts>

function forgeCounts({ emulator }: GitHubWorld) {
  const [statistics] = emulator.control.statistics()
  if (!statistics) throw new Error('the emulated GitHub has no scale set')
  return statistics
}

/** After the outage: every job ran once. Then the set is deleted, and nothing of it is left. */
export async function concludeOutage(site: Site, jobs: readonly string[], withinMs: number): Promise<void> {
  const { bench, world, forge, dayfly, seen } = site
  const { control } = forge.emulator
  await world.pass(withinMs, () => ranOnce(site, jobs) === jobs.length)
  const ran = ranOnce(site, jobs)
  const killed = [...seen.exits.values()].filter((code) => code > 128).length
  await world.kubernetes.delete(runnerSets, { namespace: dayflyNamespace, name: 'builds' }, {})
  const remaining = async () => {
    const left = (await listIn(world, secrets, dayflyNamespace)).filter(({ metadata }) => metadata.name !== 'github')
    return { pods: (await listIn(world, pods, dayflyNamespace)).length, secrets: left.length }
  }
  await world.pass(2 * minute, async () => (await remaining()).pods === 0)
  const { pods: podsLeft, secrets: secretsLeft } = await remaining()
  const registered = control.registrations().length
  note(bench.notebook, world, 'remedy', {
    claim: `After the outage, ${ran} of ${jobs.length} jobs have run once. Then the set is deleted, and nothing of it is left.`,
    command: `kubectl -n ${dayflyNamespace} delete runnerset builds; kubectl -n ${dayflyNamespace} get pods,secrets # counted`,
    output: [
      `pods: ${podsLeft}, Secrets of runners: ${secretsLeft}, registrations at GitHub: ${registered}`,
      `runners: ${seen.made.size}, ended by a signal before the deletion: ${killed}`,
    ],
    holds: ran === jobs.length && podsLeft + secretsLeft + registered === 0,
  })
  await dayfly.stop()
}

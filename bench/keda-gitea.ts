// Counts the requests of Dayfly and of KEDA's own scalers at a real Gitea: of sets that have nothing to do, and of sets whose jobs wait.
//   npm run bench:keda-gitea -- --json
// It needs Go, gcc, and the Go modules of Gitea and KEDA. Each set may have one runner, so that one job runs and the others wait.
// The requests of the runners themselves do not count.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { giteaVersion } from '../scripts/gitea/build.ts'
import { until } from '../test/cli.ts'
import { openControllerStage } from '../test/gitea/controller-stage.ts'
import { type Gitea, openGitea } from '../test/gitea/open-gitea.ts'
import { openRelay, type Relay } from '../test/gitea/relay.ts'
import { fill, label, type Place, places } from './keda-gitea/places.ts'
import { type KedaScaler, kedaVersion, openKedaScaler, type Trigger } from './keda-gitea/scaler.ts'

type Polled = { readonly requests: number; readonly jobs: number | undefined; readonly error: string | undefined }
type Dayfly = { readonly firstMinute: number; readonly laterMinute: number; readonly jobs: number | undefined }
type Row = Pick<Place, 'says'> & { readonly wanted: number; readonly keda: Polled; readonly dayfly: Dayfly }

/** KEDA's default `pollingInterval` is 30 s. */
const pollsAMinute = 2
/** After this time without a change, the polls of a set are as rare as they get. */
const calmMs = 150_000
const laterMinutes = 2

const { signal } = new AbortController()
const folder = await mkdtemp(path.join(tmpdir(), 'dayfly-keda-'))
const gitea = await openGitea()
try {
  const scaler = await openKedaScaler(folder, signal)
  await compare(scaler).finally(() => scaler.close())
} finally {
  await gitea.close()
  await rm(folder, { recursive: true })
}

async function compare(scaler: KedaScaler): Promise<void> {
  for (const place of places) {
    process.stderr.write(`${place.name}: ${place.says}\n`)
    await fill(gitea, place)
  }
  const token = await gitea.createToken(gitea.server.admin.name, 'write:organization', 'write:repository')
  const rows = await measure(gitea, scaler, token)
  const forgejo = await measureForgejo(scaler, token)
  const versions = { gitea: giteaVersion, keda: kedaVersion }
  if (process.argv.includes('--json')) process.stdout.write(`${JSON.stringify({ versions, rows, forgejo })}\n`)
  else process.stdout.write(describe(rows, forgejo))
}

async function openCount(): Promise<Relay> {
  return openRelay({ target: gitea.url, latencyMs: 0, share: 0, random: () => 1 })
}

/** Runs one set for each place. When one job of each set runs, KEDA polls each place, beside the sets. */
async function measure({ jobs }: Gitea, keda: KedaScaler, token: string): Promise<readonly Row[]> {
  const counts = new Map<Place, Relay>()
  for (const place of places) counts.set(place, await openCount())
  const sets = places.map((place) => ({
    ...{ name: place.name, max: 1, labels: [label] },
    url: `${counts.get(place)?.url}/${place.name}${place.level === 'repository' ? '/app-0' : ''}`,
  }))
  const stage = await openControllerStage(token, sets)
  try {
    const controller = stage.start()
    await until('a job of each set runs', 300_000, async () => {
      await sleep(500)
      const busy = places.filter(({ runs }) => runs > 0)
      const running = await Promise.all(busy.map(({ name }) => jobs(`/orgs/${name}`, 'in_progress')))
      return running.every(({ length }) => length === 1)
    })
    const taken = () =>
      new Map([...counts].map(([place, { requests }]) => [place, requests.filter(isOfController).length]))
    const began = taken()
    await sleep(60_000)
    const minute = taken()
    const polled = new Map<Place, Polled>()
    const polls = (async () => {
      for (const place of places) polled.set(place, await poll(keda, (origin) => triggerOf(place, origin, token)))
    })()
    await Promise.all([polls, sleep(calmMs - 60_000)])
    const calm = taken()
    await sleep(laterMinutes * 60_000)
    const end = taken()
    const { text } = await controller.get('/metrics')
    const difference = (place: Place, to: typeof end, from: typeof end) => (to.get(place) ?? 0) - (from.get(place) ?? 0)
    return places.map((place) => ({
      says: place.says,
      wanted: place.runs * place.fitting,
      keda: polled.get(place) ?? { requests: 0, jobs: undefined, error: 'not polled' },
      dayfly: {
        firstMinute: difference(place, minute, began),
        laterMinute: difference(place, end, calm) / laterMinutes,
        jobs: demandOf(text, place.name),
      },
    }))
  } finally {
    await stage.close()
    for (const count of counts.values()) await count.close()
  }
}

/** The runners use the same address, for the calls of the runner protocol and of their jobs. The controller only registers there. */
function isOfController(request: string): boolean {
  return / \/api\/v1\//.test(request) || request.endsWith('/Register')
}

function demandOf(metrics: string, set: string): number | undefined {
  const found = metrics
    .split('\n')
    .find((line) => line.startsWith('dayfly_demand_jobs{') && line.includes(`set="${set}"`))
  return found === undefined ? undefined : Number(found.split(' ').at(-1))
}

async function poll(keda: KedaScaler, trigger: (origin: string) => Trigger): Promise<Polled> {
  const count = await openCount()
  try {
    const seen = await keda.poll(trigger(count.url))
    return { requests: count.requests.length, ...seen }
  } finally {
    await count.close()
  }
}

function triggerOf({ name, level }: Place, origin: string, token: string): Trigger {
  const scope = level === 'repository' ? { runnerScope: 'repo', repos: 'app-0' } : { runnerScope: 'org' }
  return {
    type: 'github-runner',
    metadata: { githubApiURL: `${origin}/api/v1`, owner: name, labels: label, noDefaultLabels: 'true', ...scope },
    authParams: { personalAccessToken: token },
  }
}

/** Lets the scaler for Forgejo poll an organization and a repository. */
async function measureForgejo(keda: KedaScaler, token: string) {
  const levels = { organization: { org: 'runs-1' }, repository: { owner: 'runs-1', repo: 'app-0' } }
  const polls: Record<string, Polled> = {}
  for (const [level, where] of Object.entries(levels)) {
    polls[level] = await poll(keda, (address) => {
      return { type: 'forgejo-runner', metadata: { address, labels: label, ...where }, authParams: { token } }
    })
  }
  return polls
}

function describe(rows: readonly Row[], forgejo: Readonly<Record<string, Polled>>): string {
  const lines = rows.map(({ says, wanted, keda, dayfly }) => {
    const { requests, jobs = '?' } = keda
    const own = `${dayfly.firstMinute}, then ${dayfly.laterMinute} | ${dayfly.jobs ?? '?'}`
    return `| ${says} | ${wanted} | ${requests} | ${requests * pollsAMinute} | ${jobs} | ${own} |`
  })
  return [
    `Gitea ${giteaVersion}, KEDA ${kedaVersion} with github-runner`,
    '| Organization | Jobs | KEDA: requests a poll | a minute | jobs | Dayfly: requests a minute | jobs |',
    '|---|---|---|---|---|---|---|',
    ...lines,
    ...Object.entries(forgejo).map(
      ([level, { requests, error }]) => `forgejo-runner, ${level}: ${requests} requests, ${error}`,
    ),
    '',
  ].join('\n')
}

// The organizations of the comparison on a real Gitea: their repositories, and jobs that wait. Each organization has runs of its own.
import type { Gitea, Level } from '../../test/gitea/open-gitea.ts'

export type Place = {
  /** The organization, and the name of Dayfly's set. */
  readonly name: string
  readonly says: string
  readonly level: 'organization' | 'repository'
  readonly repositories: number
  readonly runs: number
  /** The `jobs` of the workflow of each run. */
  readonly jobs: string
  /** How many jobs of each run wait for a runner with the label `linux`. */
  readonly fitting: number
  /** Runners of others that are registered in the organization. */
  readonly runners: number
}

/** The label of the sets. */
export const label = 'linux'
const file = 'ci.yml'
const steps = 'steps: [{ run: sleep 1800 }]'
const one = `  one: { runs-on: linux, ${steps} }\n`
const sixty = `  one:\n    runs-on: linux\n    strategy: { matrix: { n: [${[...Array(60).keys()].join()}] } }\n    ${steps}\n`
const odd = `${one}  blocked: { needs: one, runs-on: linux, ${steps} }
  other: { runs-on: windows, ${steps} }
  cased: { runs-on: Linux, ${steps} }\n`

const idle: Place = {
  ...{ name: 'idle-1', says: '1 repository, no job', level: 'organization' },
  ...{ repositories: 1, runs: 0, jobs: '', fitting: 0, runners: 0 },
}
const working: Place = { ...idle, repositories: 10, jobs: one, fitting: 1 }

export const places: readonly Place[] = [
  idle,
  { ...idle, name: 'idle-10', says: '10 repositories, no job', repositories: 10 },
  { ...idle, name: 'idle-35', says: '35 repositories, no job', repositories: 35 },
  { ...working, name: 'runs-1', says: '10 repositories, 1 run with 1 job', runs: 1 },
  { ...working, name: 'runs-10', says: '10 repositories, 10 runs with 1 job each', runs: 10 },
  { ...working, name: 'runners-60', says: 'the same, with 60 more runners', runs: 10, runners: 60 },
  { ...working, name: 'runs-50', says: '10 repositories, 50 runs with 1 job each', runs: 50 },
  { ...working, name: 'same-50', says: '1 repository, 50 runs with 1 job each', runs: 50, repositories: 1 },
  { ...working, name: 'jobs-60', says: '10 repositories, 1 run with 60 jobs', runs: 1, jobs: sixty, fitting: 60 },
  {
    ...{ ...working, name: 'odd', repositories: 1, runs: 1, jobs: odd },
    says: '1 repository, 1 run with 4 jobs: `linux`, the same blocked by `needs`, `windows`, `Linux`',
  },
  {
    ...{ ...working, name: 'named', level: 'repository', repositories: 1, runs: 10 },
    says: 'a set for 1 repository, 10 runs with 1 job each',
  },
]

/** Creates the organization with its repositories `app-0`, `app-1` and so on. Resolves when the jobs wait. */
export async function fill(gitea: Gitea, { name, repositories, runs, jobs, fitting, runners }: Place): Promise<void> {
  await gitea.createOrganization(name)
  const levels: Level[] = []
  for (let index = 0; index < repositories; index++) {
    levels.push(await gitea.createRepository(name, `app-${index}`))
  }
  for (const level of runs > 0 ? levels.slice(0, runs) : []) {
    await gitea.commitWorkflow(level, file, `on: workflow_dispatch\njobs:\n${jobs}`)
  }
  for (let run = 0; run < runs; run++) await gitea.dispatch(levels[run % repositories] ?? '/admin', file)
  for (let index = 0; index < runners; index++) await gitea.register(`/orgs/${name}`, `other-${index}`, 'other')
  await gitea.until(`/orgs/${name}`, (listed) => {
    return (
      listed.filter(({ status, labels }) => status === 'queued' && labels.includes(label)).length === runs * fitting
    )
  })
}

// Opens a real Gitea server for a test file: places, users, workflows, jobs, and what only its web page or its program can do.
import { listAt, numberAt, textAt } from '@dayfly/kit/read-json'
import { buildGitea } from '../../scripts/gitea/build.ts'
import { callRunnerService, type GiteaClient, giteaClient, giteaPage } from '../../scripts/gitea/client.ts'
import { readSetting } from '../../scripts/gitea/settings.ts'
import { type GiteaServer, startGitea } from '../../scripts/gitea/start.ts'

/** The beginning of the paths of runners and jobs: of the whole server, or of one place. */
export type Level = '/admin' | '/user' | `/orgs/${string}` | `/repos/${string}/${string}`

/** A job as the API shows it. */
export type GiteaJob = {
  readonly id: number
  readonly run_id: number
  readonly name: string
  readonly labels: readonly string[]
  readonly status: 'queued' | 'waiting' | 'in_progress' | 'completed'
  readonly conclusion?: string
  readonly runner_id?: number
  readonly runner_name?: string
  readonly run_attempt: number
  readonly steps: readonly { readonly name: string; readonly status: string; readonly conclusion?: string }[]
}

export type RegisteredRunner = {
  readonly id: number
  readonly uuid: string
  readonly token: string
  readonly name: string
}

export interface Gitea {
  readonly url: string
  readonly server: GiteaServer
  /** The administrator's client. */
  readonly admin: GiteaClient
  /** A client with another token. */
  as(token: string): GiteaClient
  createOrganization(name: string): Promise<void>
  /** Creates a repository of an organization, with a branch main. */
  createRepository(owner: string, name: string): Promise<Level>
  createUser(name: string): Promise<void>
  /** Creates a token of a user with scopes such as `write:organization`. */
  createToken(user: string, ...scopes: readonly string[]): Promise<string>
  /** Commits a workflow. A push starts each workflow of the repository that wants pushes. */
  commitWorkflow(repository: Level, file: string, text: string): Promise<void>
  /** Starts a run of a workflow. */
  dispatch(repository: Level, file: string, inputs?: Readonly<Record<string, string>>): Promise<void>
  /** Commits a workflow whose run has this many jobs, and resolves when they wait. */
  queueJobs(repository: Level, count: number, label: string): Promise<void>
  /** Lists all jobs of a level, over all pages. */
  jobs(level: Level, status?: string): Promise<readonly GiteaJob[]>
  /** Resolves with the jobs of a level as soon as they satisfy the condition. Rejects after a minute. */
  until(level: Level, condition: (jobs: readonly GiteaJob[]) => boolean): Promise<readonly GiteaJob[]>
  jobLog(repository: Level, job: number): Promise<string>
  /** Cancels a run by the web page, because the API cannot. */
  cancelRun(repository: Level, run: number): Promise<void>
  rerun(repository: Level, run: number): Promise<void>
  registrationToken(level: Level): Promise<string>
  /** Replaces the registration token by the web page, because the API cannot. The old one is not valid any more. */
  resetRegistrationToken(level: Level): Promise<void>
  /** Registers an ephemeral runner. */
  register(level: Level, name: string, ...labels: readonly string[]): Promise<RegisteredRunner>
  /** Runs a cron task, such as `stop_zombie_tasks`. */
  runCron(task: string): Promise<void>
  close(): Promise<void>
}

const pollMs = 100
const waitMs = 60_000
/** The most that the server lists at once. */
const pageMax = 50

/** Starts the server, which takes some seconds. @param settings settings of app.ini, such as `actions.ZOMBIE_TASK_TIMEOUT=3s` */
export async function openGitea(...settings: readonly string[]): Promise<Gitea> {
  const { signal } = new AbortController()
  const built = await buildGitea(signal)
  if (built.is === 'missing') throw new Error(built.why)
  const read = settings.map((text) => {
    const setting = readSetting(text)
    if (!setting) throw new Error(`${text} is no setting`)
    return setting
  })
  const server = await startGitea(built, signal, { settings: read })
  const { url, admin: administrator } = server
  const admin = giteaClient(url, administrator.token)
  const { must } = admin
  const page = async (path: string) => (await giteaPage(url, administrator))(path)
  return {
    ...placesOf(server, admin),
    ...jobsOf(admin),
    url,
    server,
    admin,
    as: (token) => giteaClient(url, token),
    cancelRun: (repository, run) => page(`${webPath(repository)}/actions/runs/${run}/cancel`),
    rerun: async (repository, run) => void (await must('POST', `${repository}/actions/runs/${run}/rerun`)),
    registrationToken: (level) => registrationToken(admin, level),
    resetRegistrationToken: (level) => page(`${settingsPath(level)}/actions/runners/reset_registration_token`),
    register: async (level, name, ...labels) => {
      const token = await registrationToken(admin, level)
      const message = { name, token, labels, version: 'test', ephemeral: true }
      const { value } = await callRunnerService(url, 'Register', message)
      const [uuid = '', secret = ''] = [textAt(value, 'runner', 'uuid'), textAt(value, 'runner', 'token')]
      return { id: Number(textAt(value, 'runner', 'id')), uuid, token: secret, name }
    },
    runCron: async (task) => void (await must('POST', `/admin/cron/${task}`)),
    close: () => server.close(),
  }
}

type Places = Pick<
  Gitea,
  'createOrganization' | 'createRepository' | 'createUser' | 'createToken' | 'commitWorkflow' | 'dispatch'
>

function placesOf({ url, admin }: GiteaServer, { must }: GiteaClient): Places {
  const password = 'secret-12345'
  return {
    createOrganization: async (username) => void (await must('POST', '/orgs', { username })),
    createRepository: async (owner, name) => {
      const path = owner === admin.name ? '/user/repos' : `/orgs/${owner}/repos`
      await must('POST', path, { name, auto_init: true, default_branch: 'main' })
      return `/repos/${owner}/${name}`
    },
    createUser: async (username) => {
      const email = `${username}@example.test`
      await must('POST', '/admin/users', { username, password, email, must_change_password: false })
    },
    createToken: async (user, ...scopes) => {
      const basic = Buffer.from(`${user}:${user === admin.name ? admin.password : password}`).toString('base64')
      const response = await fetch(`${url}/api/v1/users/${user}/tokens`, {
        method: 'POST',
        headers: { authorization: `Basic ${basic}`, 'content-type': 'application/json' },
        body: JSON.stringify({ name: scopes.join('-'), scopes }),
      })
      const token = textAt(await response.json(), 'sha1')
      if (token === undefined) throw new Error(`the token of ${user} was not created: status ${response.status}`)
      return token
    },
    commitWorkflow: async (repository, file, text) => {
      const content = Buffer.from(text).toString('base64')
      const message = `Add ${file}`
      await must('POST', `${repository}/contents/.gitea/workflows/${file}`, { content, message, branch: 'main' })
    },
    dispatch: async (repository, file, inputs = {}) => {
      await must('POST', `${repository}/actions/workflows/${file}/dispatches`, { ref: 'main', inputs })
    },
  }
}

function jobsOf(admin: GiteaClient): Pick<Gitea, 'queueJobs' | 'jobs' | 'until' | 'jobLog'> {
  const jobs: Gitea['jobs'] = async (level, status) => {
    const found = new Map<number, GiteaJob>()
    for (let page = 1; ; page++) {
      const query = `limit=${pageMax}&page=${page}${status === undefined ? '' : `&status=${status}`}`
      const value = await admin.must('GET', `${level}/actions/jobs?${query}`)
      const listed = listAt(value, 'jobs') as readonly GiteaJob[]
      for (const job of listed) found.set(job.id, job)
      if (listed.length === 0 || found.size >= (numberAt(value, 'total_count') ?? 0)) return [...found.values()]
    }
  }
  const until: Gitea['until'] = async (level, condition) => {
    const deadline = performance.now() + waitMs
    for (;;) {
      const listed = await jobs(level)
      if (condition(listed)) return listed
      if (performance.now() > deadline) throw new Error(`the jobs are not as expected: ${JSON.stringify(listed)}`)
      await new Promise((resolve) => setTimeout(resolve, pollMs))
    }
  }
  return {
    jobs,
    until,
    queueJobs: async (repository, count, label) => {
      const before = (await jobs(repository)).length
      const file = `jobs-${before}.yml`
      const numbers = Array.from({ length: count }, (_, index) => index)
      const text = `on: workflow_dispatch\njobs:\n  one:\n    runs-on: ${label}\n    strategy: {matrix: {number: ${JSON.stringify(numbers)}}}\n    steps:\n      - run: echo "number \${{ matrix.number }}"\n`
      const content = Buffer.from(text).toString('base64')
      await admin.must('POST', `${repository}/contents/.gitea/workflows/${file}`, { content, message: file })
      await admin.must('POST', `${repository}/actions/workflows/${file}/dispatches`, { ref: 'main' })
      await until(repository, (listed) => listed.length === before + count)
    },
    jobLog: async (repository, job) => (await admin.call('GET', `${repository}/actions/jobs/${job}/logs`)).text,
  }
}

async function registrationToken({ must }: GiteaClient, level: Level): Promise<string> {
  return textAt(await must('POST', `${level}/actions/runners/registration-token`), 'token') ?? ''
}

/** Returns the path of a repository's page. */
function webPath(repository: Level): string {
  return repository.replace('/repos', '')
}

/** Returns the path of the page with the settings of a level. */
function settingsPath(level: Level): string {
  if (level === '/admin') return '/-/admin'
  if (level === '/user') return '/user/settings'
  return level.startsWith('/orgs/') ? `${level.replace('/orgs', '/org')}/settings` : `${webPath(level)}/settings`
}

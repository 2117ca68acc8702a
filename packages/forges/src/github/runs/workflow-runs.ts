// Workflow runs and their jobs in GitHub's REST API, as far as a broken job needs them
// (https://docs.github.com/en/rest/actions/workflow-runs, https://docs.github.com/en/rest/checks/runs).
import type { Clock } from '@dayfly/kit/clock'
import { type Answer, jsonBody } from '@dayfly/kit/http'
import { asJsonObject, listAt, textAt } from '@dayfly/kit/read-json'
import type { Runs } from '@dayfly/runner-set/forge/forge'
import type { ForgeJob, Note } from '@dayfly/runner-set/model/rerun'
import { badAnswer, errorFromAnswer, GitHubError } from '../calls/errors.ts'
import type { RestAnswer } from '../calls/rest.ts'
import { oncePolicy } from '../calls/retry.ts'
import type { AdminTokens } from '../credentials/tokens.ts'
import { readJob } from './read-job.ts'

export type WorkflowRunsOptions = {
  readonly tokens: Pick<AdminTokens, 'call'>
  readonly clock: Clock
  /** Only an App may create check runs. Another credential writes commit statuses. */
  readonly isApp: boolean
  readonly until: AbortSignal
}

type Permission = 'Actions' | 'Checks' | 'Commit statuses'
type Call = Parameters<AdminTokens['call']>[0] & { readonly needs: Permission }

const perPage = 100
/** A run has at most 256 jobs of a matrix, several times. */
const pagesMax = 20

export class WorkflowRuns implements Runs {
  readonly #options: WorkflowRunsOptions

  constructor(options: WorkflowRunsOptions) {
    this.#options = options
  }

  async jobs(repository: string, run: string): Promise<readonly ForgeJob[]> {
    const jobs: ForgeJob[] = []
    for (let page = 1; page <= pagesMax; page++) {
      const query = { filter: 'latest', per_page: `${perPage}`, page: `${page}` }
      const path = `${pathOf(repository)}/actions/runs/${run}/jobs`
      const { answer } = await this.#call({ method: 'GET', path, query, needs: 'Actions' }, [200])
      const entries = listAt(jsonOf(answer), 'jobs').map((entry) => readJob(asJsonObject(entry) ?? {}))
      const read = entries.filter((job) => job !== undefined)
      if (read.length !== entries.length) throw badAnswer('a job of a run cannot be read')
      jobs.push(...read)
      if (entries.length < perPage) break
    }
    return jobs
  }

  async end(repository: string, run: string): Promise<'accepted' | 'running'> {
    const path = `${pathOf(repository)}/actions/runs/${run}/force-cancel`
    const { answer } = await this.#call({ method: 'POST', path, needs: 'Actions' }, [202, 409])
    return answer.status === 202 ? 'accepted' : 'running'
  }

  async repeat(repository: string, job: string): Promise<'accepted' | 'running'> {
    return this.#repeat(`${pathOf(repository)}/actions/jobs/${job}/rerun`)
  }

  async repeatFailed(repository: string, run: string): Promise<'accepted' | 'running'> {
    return this.#repeat(`${pathOf(repository)}/actions/runs/${run}/rerun-failed-jobs`)
  }

  async notify(note: Note): Promise<void> {
    if (this.#options.isApp) await this.#createCheck(note)
    else await this.#createStatus(note)
  }

  /** GitHub refuses with 403 while the run goes on, as it does for a missing permission. Only the message distinguishes them. */
  async #repeat(path: string): Promise<'accepted' | 'running'> {
    const { answer } = await this.#call({ method: 'POST', path, needs: 'Actions' }, [201], isRunning)
    return answer.status === 201 ? 'accepted' : 'running'
  }

  async #createCheck({ repository, sha, runner, title, text }: Note): Promise<void> {
    const name = `Dayfly: ${title.split(':')[0]}`
    const query = { check_name: name, per_page: `${perPage}` }
    const listed = await this.#call(
      { method: 'GET', path: `${pathOf(repository)}/commits/${sha}/check-runs`, query, needs: 'Checks' },
      [200],
    )
    const known = listAt(jsonOf(listed.answer), 'check_runs').some((one) => textAt(one, 'external_id') === runner)
    if (known) return
    const body = jsonBody({
      name,
      head_sha: sha,
      external_id: runner,
      status: 'completed',
      conclusion: 'neutral',
      output: { title, summary: text },
    })
    await this.#call({ method: 'POST', path: `${pathOf(repository)}/check-runs`, body, needs: 'Checks' }, [201])
  }

  /** The last status of a context counts, so that a second one changes nothing. */
  async #createStatus({ repository, sha, title, text }: Note): Promise<void> {
    const context = `dayfly/${title.split(':')[0]}`
    const [sentences = ''] = text.split('\n')
    const body = jsonBody({ state: 'success', context, description: sentences.slice(0, statusMax) })
    const path = `${pathOf(repository)}/statuses/${sha}`
    await this.#call({ method: 'POST', path, body, needs: 'Commit statuses' }, [201])
  }

  /** @param isFine also accepts a response with another status */
  async #call(
    { needs, ...call }: Call,
    accepted: readonly number[],
    isFine: (answer: Answer) => boolean = () => false,
  ): Promise<RestAnswer> {
    const reply = await this.#options.tokens.call(call, { policy: oncePolicy, signal: this.#options.until })
    const { request, answer } = reply
    if (accepted.includes(answer.status) || isFine(answer)) return reply
    const error = errorFromAnswer(request, answer, this.#options.clock.now())
    if (error.reason !== 'token-refused' || answer.status !== 403) throw error
    const level = call.method === 'GET' ? 'read' : 'read and write'
    const message = `The credential needs the repository permission "${needs}" (${level}). ${error.message}`
    const { status, retryAt, details } = error
    throw new GitHubError('token-refused', message, { status, retryAt, details, cause: error })
  }
}

/** GitHub cuts no description, but refuses a longer one. */
const statusMax = 140

function isRunning(answer: Answer): boolean {
  return answer.status === 403 && /already running|in progress/i.test(textAt(jsonOf(answer), 'message') ?? '')
}

function jsonOf({ body }: Answer): unknown {
  return body.kind === 'json' ? body.value : undefined
}

function pathOf(repository: string): string {
  return `/repos/${repository.split('/').map(encodeURIComponent).join('/')}`
}

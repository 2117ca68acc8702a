// The routes of runners, at the public API and at the one that the vendor's autoscaler uses (docs/reference/bitbucket.md#s2-1).
import { type Answer, jsonAnswer, type Method } from '@dayfly/kit/http'
import * as z from 'zod'
import { type Call, emptyAnswer, type Route } from '../server/router.ts'
import { authorize, countCall, type EmulatedCredential, issueToken } from './credentials.ts'
import type { Emulation } from './emulation.ts'
import { bitbucketError, noSuchRunner } from './refusal.ts'
import { allLabels, changeStatus, createRunner, removeRunner, touch } from './runners.ts'
import { settle } from './settle.ts'
import { type Place, placeNamed, type Runner } from './state.ts'
import { pageAnswer, repositoryView, runnerView, workspaceView } from './views.ts'

const workspacePath = '/:api/workspaces/:workspace'
const repositoryPath = '/:api/repositories/:workspace/:repository'

export function runnerRoutes(emulation: Emulation, credentials: readonly EmulatedCredential[]): readonly Route[] {
  const route = (method: Method, pattern: string, run: (place: Place, call: Call) => Answer): Route => ({
    method,
    pattern,
    run: (call) => {
      const place = reach(emulation, credentials, call)
      const answer = run(place, call)
      settle(emulation)
      return answer
    },
  })
  const view = (call: Call, place: Place) => jsonAnswer(200, runnerView(emulation, find(emulation, place, call)))
  const ofPlace = [workspacePath, repositoryPath].flatMap((path) => {
    const runners = `${path}/pipelines-config/runners`
    return [
      route('GET', runners, (place, call) => list(emulation, place, call)),
      route('POST', runners, (place, call) => create(emulation, place, call)),
      route('GET', `${runners}/:runner`, (place, call) => view(call, place)),
      route('PUT', `${runners}/:runner`, (place, call) => update(emulation, find(emulation, place, call), call)),
      route('PUT', `${runners}/:runner/state`, (place, call) => putState(emulation, place, call)),
      route('DELETE', `${runners}/:runner`, (place, call) => {
        removeRunner(emulation, find(emulation, place, call))
        return emptyAnswer(204)
      }),
    ]
  })
  return [
    ...ofPlace,
    route('GET', workspacePath, (place) => jsonAnswer(200, workspaceView(place))),
    route('GET', repositoryPath, (place) => jsonAnswer(200, repositoryView(place))),
    {
      method: 'POST',
      pattern: '/site/oauth2/access_token',
      run: (call) => jsonAnswer(200, issueToken(emulation, credentials, call)),
    },
  ]
}

/** Returns the place of a call whose user may reach it. */
function reach(emulation: Emulation, credentials: readonly EmulatedCredential[], call: Call): Place {
  const { api, workspace: name = '', repository } = call.params
  const { knobs, state } = emulation
  if (api !== '2.0' && !(api === 'internal' && knobs.internalApi)) throw bitbucketError(404, 'Resource not found.')
  const user = authorize(emulation, credentials, call)
  countCall(emulation, user)
  const workspace = placeNamed(state.workspaces, name)
  if (!workspace) throw bitbucketError(404, `No workspace with identifier '${name}'.`)
  const isOther = user.workspace !== undefined && user.workspace !== workspace.slug
  if (isOther || (user.scope === 'read' && call.request.method !== 'GET')) {
    throw bitbucketError(403, 'Your credentials lack one or more required privilege scopes.')
  }
  if (repository === undefined) return workspace
  const found = placeNamed(workspace.repositories, repository)
  if (!found) throw bitbucketError(404, `Repository ${name}/${repository} not found.`)
  return found
}

function find({ state }: Emulation, place: Place, call: Call): Runner {
  const uuid = /^\{(.+)\}$/.exec(call.params['runner'] ?? '')?.[1] ?? ''
  const runner = state.runners.get(uuid)
  if (runner?.place !== place) throw noSuchRunner()
  return runner
}

function list(emulation: Emulation, place: Place, call: Call): Answer {
  const runners = [...emulation.state.runners.values()].filter((runner) => runner.place === place)
  const views = runners.map((runner) => runnerView(emulation, runner))
  return pageAnswer(call, views, emulation.knobs.pageMax)
}

const labelsSchema = z.array(z.string().max(50)).max(50)
const createSchema = z.object({ name: z.string().min(1).max(255), labels: labelsSchema.optional() })

function create(emulation: Emulation, place: Place, call: Call): Answer {
  const body = read(createSchema, call)
  const runner = createRunner(emulation, place, { name: body.name, labels: body.labels })
  return jsonAnswer(emulation.knobs.createStatus, runnerView(emulation, runner, true))
}

const updateSchema = z.object({
  name: z.string().min(1).max(255).optional(),
  labels: labelsSchema.optional(),
  state: z.object({ status: z.string() }).optional(),
})

function update(emulation: Emulation, runner: Runner, call: Call): Answer {
  const { name, labels, state } = read(updateSchema, call)
  const { publicState } = emulation.knobs
  if (state && publicState === 'refused') throw bitbucketError(400, 'The property state cannot be changed.')
  if (name !== undefined) runner.name = name
  if (labels) runner.labels = allLabels(labels)
  if (name !== undefined || labels) touch(emulation, runner)
  if (state && publicState === 'accepted') changeStatus(emulation, runner, state.status)
  return jsonAnswer(200, runnerView(emulation, runner))
}

/** Only the undocumented API has this route. */
function putState(emulation: Emulation, place: Place, call: Call): Answer {
  if (call.params['api'] !== 'internal') throw bitbucketError(404, 'Resource not found.')
  const runner = find(emulation, place, call)
  const { body } = call
  changeStatus(emulation, runner, Object(body).status)
  return jsonAnswer(200, runnerView(emulation, runner))
}

function read<T>(schema: z.ZodType<T>, call: Call): T {
  const result = schema.safeParse(call.body)
  if (result.success) return result.data
  const [issue] = result.error.issues
  throw bitbucketError(400, `Invalid property ${issue?.path.join('.') || 'body'}.`)
}

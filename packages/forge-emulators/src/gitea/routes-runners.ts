// The routes of runners, below each of the four prefixes.
import type { Answer, Method } from '@dayfly/kit/http'
import * as z from 'zod'
import { type Call, emptyAnswer } from '../server/router.ts'
import { type Dialect, dialects } from './dialect.ts'
import type { Emulation } from './emulation.ts'
import { pageOf } from './paging.ts'
import { type Access, type GiteaRoute, type PlacedRoute, placedRoutes } from './reach.ts'
import { giteaError, notFound, restAnswer } from './refusal.ts'
import { createRunner, deleteRunner, disableRunner, registrationToken, sortRunners } from './runners.ts'
import type { Place, Runner } from './state.ts'
import { forgejoRunnerView, runnerView } from './views.ts'

const isGitea = ({ family }: Dialect) => family === 'gitea'
const isForgejo = ({ family }: Dialect) => family === 'forgejo'

export function runnerRoutes(access: Access): readonly GiteaRoute[] {
  const { emulation } = access
  const runners = '/actions/runners'
  const [token, runner] = [`${runners}/registration-token`, `${runners}/:runner`]
  type Run = PlacedRoute['run']
  const route = (method: Method, path: string, run: Run, exists?: PlacedRoute['exists']) =>
    placedRoutes(access, { method, path, right: 'owner', run, exists })
  const issue: Run = (place) => restAnswer(200, { token: registrationToken(emulation, place).value })
  const show: Run = (place, call) => restAnswer(200, viewOf(emulation, find(emulation, place, call)))
  const remove: Run = (place, call) => {
    deleteRunner(emulation, find(emulation, place, call))
    return emptyAnswer(204)
  }
  return [
    ...route('GET', runners, (place, call) => list(emulation, place, call)),
    ...route('POST', runners, (place, call) => create(emulation, place, call), isForgejo),
    ...route('POST', token, issue, isGitea),
    ...route('GET', token, issue, ({ readsToken }) => readsToken),
    ...route('GET', runner, show),
    ...route('DELETE', runner, remove),
    ...route(
      'PATCH',
      runner,
      (place, call) => cordon(emulation, find(emulation, place, call), call),
      ({ cordon }) => cordon,
    ),
  ]
}

function isForgejoNow({ knobs }: Emulation): boolean {
  return isForgejo(dialects[knobs.dialect])
}

/** Gitea's list has neither `Link` nor `X-Total-Count`. */
function list(emulation: Emulation, place: Place, call: Call): Answer {
  const { disabled } = call.request.query
  const all = sortRunners(emulation, place.kind === 'site' ? emulation.state.listed : place.runners)
  if (isForgejoNow(emulation)) {
    const { entries, headers } = pageOf(emulation, call, all)
    return restAnswer(
      200,
      entries.map((runner) => forgejoRunnerView(emulation, runner)),
      headers,
    )
  }
  const isAsked = disabled === undefined || disabled === ''
  const some = isAsked ? all : all.filter((runner) => runner.disabled === /^(1|t|true)$/i.test(disabled))
  const { entries, total } = pageOf(emulation, call, some)
  return restAnswer(200, { runners: entries.map((runner) => runnerView(emulation, runner)), total_count: total })
}

/** A runner of another level does not exist at this one, except for the whole server. */
function find({ state }: Emulation, place: Place, call: Call): Runner {
  const runner = state.runners.get(Number(call.params['runner']))
  if (!runner) throw notFound(call, 'Runner not found')
  if (place.kind !== 'site' && runner.place !== place) throw notFound(call, 'No permission to access this runner')
  return runner
}

function viewOf(emulation: Emulation, runner: Runner): object {
  return isForgejoNow(emulation) ? forgejoRunnerView(emulation, runner) : runnerView(emulation, runner)
}

const cordonSchema = z.object({ disabled: z.boolean() })

function cordon(emulation: Emulation, runner: Runner, call: Call): Answer {
  const body = cordonSchema.safeParse(call.body)
  if (!body.success) throw giteaError(call, 422, '[Disabled]: Required')
  disableRunner(emulation, runner, body.data.disabled)
  return restAnswer(200, runnerView(emulation, runner))
}

const createSchema = z.object({ name: z.string().min(1), ephemeral: z.boolean().default(false) })

/** Only Forgejo creates runners by REST. The runner declares its labels later. */
function create(emulation: Emulation, place: Place, call: Call): Answer {
  const body = createSchema.safeParse(call.body)
  if (!body.success) throw giteaError(call, 422, '[Name]: Required')
  const { id, uuid, token } = createRunner(emulation, place, { ...body.data, labels: [], version: '', cancels: false })
  return restAnswer(201, { id, uuid, token })
}

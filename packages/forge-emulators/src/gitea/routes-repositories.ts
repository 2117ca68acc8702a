// The routes with which users prepare a server: their own account, repositories, workflow files, webhooks, and the cron tasks of the administrator.
import type { Answer } from '@dayfly/kit/http'
import * as z from 'zod'
import { type Call, emptyAnswer } from '../server/router.ts'
import { SourceError } from '../source/problem.ts'
import { accountOf, authenticate, requireScope, requireToken } from './credentials.ts'
import { cronTasks, runCron } from './cron.ts'
import { dialects } from './dialect.ts'
import { createRepository, fullName } from './places.ts'
import {
  type Access,
  type GiteaRoute,
  placedRoutes,
  reachPlace,
  reachRepository,
  repositoryPath,
  restRoute,
} from './reach.ts'
import { giteaError, notFound, restAnswer } from './refusal.ts'
import { commitWorkflow, deleteRepository, dispatchWorkflow } from './repositories.ts'
import type { Place } from './state.ts'
import { repositoryView } from './views.ts'

export function repositoryRoutes(access: Access): readonly GiteaRoute[] {
  const { emulation } = access
  const dialect = () => dialects[emulation.knobs.dialect]
  return [
    restRoute(access, 'GET', '/api/v1/version', () => restAnswer(200, { version: dialect().version })),
    {
      ...restRoute(access, 'GET', '/api/forgejo/v1/version', () => restAnswer(200, { version: dialect().version })),
      exists: ({ family }) => family === 'forgejo',
    },
    restRoute(access, 'GET', '/api/v1/user', (call) => showUser(access, call)),
    restRoute(access, 'GET', '/api/v1/repos/search', (call) => search(access, call)),
    restRoute(access, 'POST', '/api/v1/user/repos', (call) => create(access, call)),
    restRoute(access, 'GET', repositoryPath, (call) =>
      restAnswer(200, repositoryView(call.origin, reachRepository(access, call, 'reader'))),
    ),
    restRoute(access, 'DELETE', repositoryPath, (call) => {
      deleteRepository(emulation, reachRepository(access, call, 'owner'))
      return emptyAnswer(204)
    }),
    restRoute(access, 'POST', `${repositoryPath}/contents/:folder/workflows/:file`, (call) => commit(access, call)),
    restRoute(access, 'POST', `${repositoryPath}/actions/workflows/:workflow/dispatches`, (call) => {
      const repository = reachRepository(access, call, 'reader')
      const { workflow = '' } = call.params
      if (dispatchWorkflow(emulation, repository, workflow)) return emptyAnswer(204)
      throw giteaError(call, 404, `workflow "${workflow}" doesn't exist`)
    }),
    restRoute(access, 'POST', '/api/v1/admin/cron/:task', (call) => {
      reachPlace(access, call, 'admin', 'owner')
      const task = cronTasks.find((each) => each === call.params['task'])
      if (!task) throw notFound(call)
      runCron(emulation, task)
      return emptyAnswer(204)
    }),
    ...placedRoutes(access, {
      ...{ method: 'POST', path: '/hooks', right: 'owner', exists: ({ family }) => family === 'gitea' },
      run: (place, call) => createHook(access, place, call),
    }),
  ]
}

/** Finds nothing: the answer shows whether the token may read repositories. */
function search({ emulation, credentials }: Access, call: Call): Answer {
  requireScope(call, authenticate(emulation, credentials, call), 'repository')
  return restAnswer(200, { ok: true, data: [] })
}

function showUser({ emulation, credentials }: Access, call: Call): Answer {
  const given = authenticate(emulation, credentials, call)
  requireScope(call, given, 'user')
  const { id, name } = accountOf(emulation, requireToken(call, given))
  return restAnswer(200, { id, login: name })
}

const repositorySchema = z.object({ name: z.string().regex(/^[\w.-]{1,100}$/) })

function create({ emulation, credentials }: Access, call: Call): Answer {
  const given = authenticate(emulation, credentials, call)
  for (const category of ['user', 'repository'] as const) requireScope(call, given, category)
  const owner = accountOf(emulation, requireToken(call, given))
  const body = repositorySchema.safeParse(call.body)
  if (!body.success) throw giteaError(call, 422, '[Name]: Required')
  if (emulation.state.repositories.has(`${owner.name}/${body.data.name}`.toLowerCase())) {
    throw giteaError(call, 409, 'The repository with the same name already exists.')
  }
  return restAnswer(201, repositoryView(call.origin, createRepository(emulation.state, owner, body.data.name)))
}

const contentSchema = z.object({ content: z.base64() })

/** Commits a file of the folder `.gitea/workflows` or `.github/workflows`. No other file has an effect here. */
async function commit(access: Access, call: Call): Promise<Answer> {
  const repository = reachRepository(access, call, 'owner')
  const { folder = '', file = '' } = call.params
  const body = contentSchema.safeParse(call.body)
  if (!body.success) throw giteaError(call, 422, '[Content]: Required')
  const path = `${folder}/workflows/${file}`
  try {
    const text = Buffer.from(body.data.content, 'base64').toString('utf8')
    if (/^\.(gitea|github)$/.test(folder)) await commitWorkflow(access.emulation, repository, file, text)
  } catch (error) {
    if (!(error instanceof SourceError)) throw error
    // The server commits an invalid file, too, and never runs it.
  }
  const url = `${call.origin}/api/v1/repos/${fullName(repository)}/contents/${path}`
  return restAnswer(201, { content: { name: file, path, type: 'file', url } })
}

const hookSchema = z.object({
  type: z.literal('gitea'),
  config: z.object({ url: z.url(), content_type: z.literal('json'), secret: z.string().default('') }),
  events: z.array(z.string()).default(['push']),
  active: z.boolean().default(false),
})

/** Hooks of other events than `workflow_job` are accepted, and never sent. */
function createHook({ emulation }: Access, place: Place, call: Call): Answer {
  const body = hookSchema.safeParse(call.body)
  if (!body.success) throw giteaError(call, 422, body.error.issues[0]?.message ?? 'Invalid hook')
  const { config, events, active, type } = body.data
  const { state } = emulation
  const hook = { id: ++state.ids.hook, place, url: new URL(config.url), secret: config.secret }
  if (active && events.includes('workflow_job')) state.hooks.set(hook.id, hook)
  return restAnswer(201, { id: hook.id, type, events, active, config: { url: config.url, content_type: 'json' } })
}

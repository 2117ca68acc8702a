// The JSON of places, runners and pages (docs/reference/bitbucket.md#s2-2).
import { type Answer, jsonAnswer } from '@dayfly/kit/http'
import type { Call } from '../server/router.ts'
import type { Emulation } from './emulation.ts'
import { bitbucketError } from './refusal.ts'
import { statusOf } from './runners.ts'
import type { Place, Runner } from './state.ts'

export function workspaceView({ uuid, slug }: Place): object {
  return { type: 'workspace', uuid: `{${uuid}}`, slug, name: slug }
}

export function repositoryView(repository: Place): object {
  const { uuid, slug, workspace } = repository
  const full = `${workspace?.slug}/${slug}`
  return {
    type: 'repository',
    uuid: `{${uuid}}`,
    slug,
    name: slug,
    full_name: full,
    workspace: workspace && workspaceView(workspace),
  }
}

/** @param secret whether the response is the one to its creation, which alone has the secret */
export function runnerView({ knobs }: Emulation, runner: Runner, secret = false): object {
  const { uuid, name, labels, client, createdAt, updatedAt, stateAt } = runner
  const status = statusOf(runner)
  const version = status === 'UNREGISTERED' ? { current: '6.0.4' } : { version: '6.0.4', current: '6.0.4' }
  return {
    type: 'pipeline_runner',
    uuid: `{${uuid}}`,
    name,
    labels,
    state: { status, cordoned: runner.disabled, version, updated_on: timeOf(stateAt), ...stepView(knobs, runner) },
    oauth_client: {
      id: client.id,
      token_endpoint: 'https://auth.atlassian.com/oauth/token',
      audience: 'api.atlassian.com',
      ...(secret ? { secret: client.secret } : {}),
    },
    created_on: timeOf(createdAt),
    updated_on: timeOf(updatedAt),
  }
}

function stepView({ stepShown, stepNull }: Emulation['knobs'], { step }: Runner): object {
  const isShown = step && (step.state === 'IN_PROGRESS' || stepShown === 'assigned')
  if (isShown) return { step: { type: 'PIPELINE_STEP', uuid: `{${step.uuid}}` } }
  return stepNull ? { step: null } : {}
}

/** Bitbucket's timestamps have microseconds and an offset. */
function timeOf(ms: number): string {
  return new Date(ms).toISOString().replace('Z', '000+00:00')
}

const pageDefault = 10

/** Returns one page. The last one has no `next`. */
export function pageAnswer(call: Call, values: readonly object[], pageMax: number): Answer {
  const { query, path } = call.request
  const pagelen = Math.min(whole(query['pagelen'], pageDefault), pageMax)
  const page = whole(query['page'], 1)
  const from = (page - 1) * pagelen
  const address = (number: number) => `${call.origin}${path}?pagelen=${pagelen}&page=${number}`
  return jsonAnswer(200, {
    values: values.slice(from, from + pagelen),
    page,
    size: values.length,
    pagelen,
    ...(from + pagelen < values.length ? { next: address(page + 1) } : {}),
    ...(page > 1 ? { previous: address(page - 1) } : {}),
  })
}

function whole(text: string | undefined, otherwise: number): number {
  if (text === undefined) return otherwise
  if (!/^[1-9]\d{0,8}$/.test(text)) throw bitbucketError(400, 'Invalid page.')
  return Number(text)
}

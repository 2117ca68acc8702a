// Plays the steps on a server in order. Keeps the parts of each answer that are equal on all servers.
import type { Clock } from '@dayfly/kit/clock'
import { type Answer, type Body, jsonBody, type Method, noBody, type Transport } from '@dayfly/kit/http'
import { isJsonObject } from '@dayfly/kit/read-json'
import { createStableForm } from './stable.fixture.ts'
import type { Act, Caller, Recorded, Step } from './step.fixture.ts'

export type Stage = {
  readonly transport: Transport
  /** The address of the server, without a slash at the end. */
  readonly origin: string
  readonly clock: Clock
  /** The tokens of the callers. */
  readonly tokens: Readonly<Record<Exclude<Caller, 'nobody' | 'wrongToken'>, string>>
  /** Makes a change that REST cannot make on every server. */
  act(act: Act): Promise<void>
}

/** How often a call with `until` is repeated, every 100 ms. */
const attempts = 300

/** Resolves with the answers of this stage. */
export async function play(steps: readonly Step[], stage: Stage): Promise<readonly Recorded[]> {
  const kept = new Map<string, string>()
  const stable = createStableForm(stage.origin, kept)
  const recorded: Recorded[] = []
  for (const step of steps) {
    const answer = await perform(step, stage, kept)
    if (answer) recorded.push({ title: step.title, answer: stable(answer) })
  }
  return recorded
}

/** Resolves with the answer; undefined for a step that has no answer of its own. */
async function perform(step: Step, stage: Stage, kept: Map<string, string>): Promise<Answer | undefined> {
  if (step.do === 'act') {
    await stage.act(filled(step.act, kept))
    return undefined
  }
  let answer = await send(step, stage, kept)
  if (step.do === 'commit' || step.do === 'raw') return answer
  for (let attempt = 0; step.until !== undefined && !contains(answer, step.until); attempt++) {
    if (attempt === attempts)
      throw new Error(`${step.title}: no answer contains ${step.until}: ${JSON.stringify(answer.body)}`)
    await stage.clock.sleep(100)
    answer = await send(step, stage, kept)
  }
  const value = jsonOf(answer.body)
  for (const [name, path] of Object.entries(step.keep ?? {})) {
    const found = path.split('.').reduce<unknown>((part, key) => Object(part)[key], value)
    if (found === undefined) throw new Error(`${step.title}: no ${path} in ${answer.status} ${JSON.stringify(value)}`)
    kept.set(name, String(found))
  }
  return answer
}

function contains({ body }: Answer, text: string): boolean {
  return JSON.stringify(jsonOf(body) ?? '').includes(text)
}

async function send(
  step: Exclude<Step, { do: 'act' }>,
  stage: Stage,
  kept: ReadonlyMap<string, string>,
): Promise<Answer> {
  const service = '/api/actions/runner.v1.RunnerService'
  switch (step.do) {
    case 'rest': {
      const [method = '', path = ''] = filled(step.call, kept).split(' ', 2) as [Method, string]
      return call(stage, method as Method, `/api/v1${path}`, {
        headers: authorization(stage, step.as ?? 'boss'),
        body: bodyOf(filled(step.body, kept)),
      })
    }
    case 'rpc': {
      const key = (part: string) => kept.get(`${step.runner}.${part}`) ?? ''
      const headers = step.runner === undefined ? {} : { 'x-runner-uuid': key('uuid'), 'x-runner-token': key('token') }
      return call(stage, 'POST', `${service}/${step.method}`, {
        headers,
        body: jsonBody(filled(step.message ?? {}, kept)),
      })
    }
    case 'raw': {
      const body: Body = { kind: 'text', text: step.text }
      return call(stage, 'POST', `${service}/${step.method}`, { headers: { 'content-type': step.type }, body })
    }
    case 'commit': {
      const content = Buffer.from(step.workflow).toString('base64')
      const path = `/api/v1/repos/${step.repository}/contents/.gitea/workflows/${step.file}`
      const body = jsonBody({ content, message: step.title, branch: 'main' })
      const answer = await call(stage, 'POST', path, { headers: authorization(stage, 'boss'), body })
      // The description of a commit is no part of what is compared.
      return { ...answer, headers: {}, body: noBody }
    }
  }
}

function authorization({ tokens }: Stage, caller: Caller): Readonly<Record<string, string>> {
  if (caller === 'nobody') return {}
  return { authorization: `token ${caller === 'wrongToken' ? '0'.repeat(40) : tokens[caller]}` }
}

function call(
  { transport }: Stage,
  method: Method,
  url: string,
  { headers, body }: { readonly headers: Readonly<Record<string, string>>; readonly body: Body },
): Promise<Answer> {
  const [path = '', search = ''] = url.split('?', 2)
  const type: Record<string, string> = body.kind === 'json' ? { 'content-type': 'application/json' } : {}
  return transport({
    method,
    path: encodeURI(path),
    search,
    query: {},
    headers: { ...type, ...headers },
    body,
    expect: 'whole',
  })
}

function bodyOf(value: unknown): Body {
  return value === undefined ? noBody : jsonBody(value)
}

function jsonOf(body: Body): unknown {
  return body.kind === 'json' ? body.value : undefined
}

/** Replaces the names of kept values, longest first. */
function filled<Value>(value: Value, kept: ReadonlyMap<string, string>): Value {
  if (typeof value === 'string') {
    const names = [...kept.keys()].sort((one, other) => other.length - one.length)
    return names.reduce((text, name) => text.replaceAll(`$${name}`, kept.get(name) ?? ''), value as string) as Value
  }
  if (Array.isArray(value)) return value.map((item) => filled(item, kept)) as Value
  if (!isJsonObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, filled(item, kept)])) as Value
}

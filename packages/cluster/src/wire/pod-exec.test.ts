// The exec subresource: what it refuses, who may use it, and a whole session without a socket.
import type { Answer, Method } from '@dayfly/kit/http'
import { channel } from '@dayfly/kit/queue'
import { expect, test } from 'vitest'
import type { Profile } from '../api/api.ts'
import { containerOf, openPodStage } from '../pod-stage.fixture.ts'
import type { ExecScript } from '../runtime/scripted/scripted-runtime.ts'

const path = '/api/v1/namespaces/default/pods/p/exec'
const upgrade = {
  connection: 'keep-alive, Upgrade',
  upgrade: 'websocket',
  'sec-websocket-protocol': 'v5.channel.k8s.io, v4.channel.k8s.io',
}
const query = { command: 'date', stdout: 'true' }

type Asked = { method?: Method; path?: string; query?: object; headers?: object; as?: string }

function open(more: { profile?: Profile; exec?: (command: readonly string[]) => ExecScript } = {}) {
  const scripts = { main: more.exec ? { exec: more.exec } : {}, once: { endsAfterMs: 1_000, exitCode: 1 } }
  const stage = openPodStage({ scripts, cluster: more.profile ? { profile: more.profile } : {} })
  const send = stage.cluster.transport('tester')
  const ask = (asked: Asked = {}) => {
    const as = asked.as === undefined ? {} : { 'impersonate-user': asked.as }
    return send({
      method: asked.method ?? 'GET',
      path: asked.path ?? path,
      query: { ...query, ...asked.query },
      headers: { ...upgrade, ...asked.headers, ...as },
      body: { kind: 'none' },
      expect: 'whole',
    })
  }
  return { ...stage, ask }
}

function refusal({ status, body }: Answer): string {
  return `${status} ${body.kind === 'json' ? (body.value as { message: string }).message : ''}`
}

/** Takes part in a session as a client. Resolves with its messages. */
async function converse({ body }: Answer): Promise<readonly string[]> {
  if (body.kind !== 'messages') throw new Error(`no session: ${body.kind}`)
  const sent: string[] = []
  const send = async (message: Uint8Array) => void sent.push(Buffer.from(message).toString('latin1'))
  await body.serve({ messages: channel<Uint8Array>(), send, gone: new AbortController().signal })
  return sent
}

test.each<readonly [string, Asked, string]>([
  ['an unknown pod', { path: path.replace('/p/', '/q/') }, '404 pods "q" not found'],
  ['an unknown container', { query: { container: 'x' } }, '400 container x is not valid for pod p'],
  [
    'no container of several',
    {},
    '400 a container name must be specified for pod p, choose one of: [first main other]',
  ],
  ['no stream', { query: { container: 'main', stdout: 'false' } }, '400 you must specify at least 1 of stdin, stdout'],
  ['a terminal', { query: { container: 'main', tty: 'true' } }, '400 a terminal is not supported by the embedded'],
  ['no upgrade', { query: { container: 'main' }, headers: { upgrade: '' } }, '400 Upgrade request required'],
  ['half an upgrade', { query: { container: 'main' }, headers: { connection: '' } }, '400 Upgrade request required'],
  [
    'SPDY',
    { method: 'POST', query: { container: 'main' }, headers: { upgrade: 'SPDY/3.1' } },
    '400 the embedded cluster supports WebSocket for commands, and not spdy/3.1. Use kubectl 1.31 or later',
  ],
  ['a WebSocket by POST', { method: 'POST', query: { container: 'main' } }, '405 the server does not allow this'],
  ['a PUT', { method: 'PUT', query: { container: 'main' } }, '405 the server does not allow this method'],
  [
    'another subprotocol',
    { query: { container: 'main' }, headers: { 'sec-websocket-protocol': 'v3.channel.k8s.io' } },
    '400 the WebSocket needs one of the subprotocols v5.channel.k8s.io, v4.channel.k8s.io',
  ],
])('%s is refused', async (_, asked, message) => {
  const { ask, create, clock } = open()
  create({ initContainers: [containerOf('first')], containers: [containerOf('main'), containerOf('other')] })
  await clock.advance(1_000)
  expect(refusal(await ask(asked))).toContain(message)
})

test('a pod that has no node, that waits, or that is completed refuses', async () => {
  const { ask, create, clock } = open()
  create({ containers: [containerOf('main')], schedulerName: 'nobody' })
  expect(refusal(await ask())).toBe('400 pod p does not have a host assigned')
  create({ containers: [containerOf('main', { envFrom: [{ secretRef: { name: 'none' } }] })] }, 'waits')
  create({ containers: [containerOf('once')] }, 'over')
  await clock.advance(3_000)
  const [status] = await converse(await ask({ path: path.replace('/p/', '/waits/') }))
  expect(status).toContain(
    JSON.stringify('Internal error occurred: unable to upgrade connection: container not found ("main")'),
  )
  expect(refusal(await ask({ path: path.replace('/p/', '/over/') }))).toBe(
    '400 cannot exec into a container in a completed pod; current phase is Failed',
  )
})

test('a request without a command is refused', async () => {
  const { cluster, create, clock } = open()
  create({ containers: [containerOf('main')] })
  await clock.advance(1_000)
  const asked = { method: 'GET', path, headers: upgrade, body: { kind: 'none' }, expect: 'whole' } as const
  const answer = await cluster.transport('tester')({ ...asked, query: { stdout: 'true' } })
  expect(refusal(answer)).toBe('400 you must specify at least one command for the container')
})

test('the script of a container answers with output and exit code, from all words of the command', async () => {
  const seen: (readonly string[])[] = []
  const exec = (command: readonly string[]) => {
    seen.push(command)
    return { exitCode: 3, output: 'hello\n' }
  }
  const { cluster, create, clock } = open({ exec })
  create({ containers: [containerOf('main')] })
  await clock.advance(1_000)
  const answer = await cluster.transport('tester')({
    method: 'GET',
    path,
    query: { command: 'b', stdout: 'true' },
    repeated: { command: ['a', 'a', 'b'] },
    headers: { ...upgrade, 'sec-websocket-protocol': 'v4.channel.k8s.io' },
    body: { kind: 'none' },
    expect: 'whole',
  })
  expect([answer.status, answer.body]).toMatchObject([101, { kind: 'messages', protocol: 'v4.channel.k8s.io' }])
  const [output, status] = await converse(answer)
  expect(output).toBe('\u0001hello\n')
  expect(status).toMatch(/^\u0003.*"reason":"NonZeroExitCode".*"message":"3"/)
  expect(seen).toEqual([['a', 'a', 'b']])
})

test('a session ends with its pod, and with its client', async () => {
  const { ask, create, clock, registry } = open({ exec: () => 'hangs' })
  create({ containers: [containerOf('main')] })
  await clock.advance(1_000)
  const hanging = converse(await ask())
  const { body } = await ask()
  if (body.kind !== 'messages') throw new Error('no session')
  const gone = new AbortController()
  const left = body.serve({ messages: channel<Uint8Array>(), send: async () => {}, gone: gone.signal })
  gone.abort()
  await left
  registry.delete('pods', 'default', 'p')
  await clock.advance(60_000)
  expect((await hanging)[0]).toContain('"message":"137"')
})

test.each<readonly [Profile, readonly string[], number]>([
  ['1.36', ['create', 'get'], 101],
  ['1.36', ['get'], 403],
  ['1.36', ['create'], 403],
  ['1.34', ['get'], 101],
  ['1.34', ['create'], 403],
])('in %s the verbs %j on pods/exec give %i', async (profile, verbs, status) => {
  const { ask, create, clock, registry } = open({ profile })
  create({ containers: [containerOf('main')] })
  await clock.advance(1_000)
  const metadata = { name: 'exec', namespace: 'default' }
  registry.create('roles.rbac.authorization.k8s.io', {
    metadata,
    rules: [{ apiGroups: [''], resources: ['pods/exec'], verbs }],
  })
  registry.create('rolebindings.rbac.authorization.k8s.io', {
    metadata,
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'exec' },
    subjects: [{ kind: 'User', name: 'jane', apiGroup: 'rbac.authorization.k8s.io' }],
  })
  expect((await ask({ as: 'jane' })).status).toBe(status)
  expect((await ask({ as: 'joe' })).status).toBe(403)
})

// Tests credential plugins as real programs, from the kubeconfig to the token of a request.
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { jsonAnswer } from '@dayfly/kit/http'
import { virtualClock } from '@dayfly/kit/virtual-clock'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { loadKubeconfig } from '../kubeconfig.ts'
import { tokenSource, withToken } from '../token.ts'
import { pluginHost } from './run-plugin.ts'

const version = 'client.authentication.k8s.io/v1'
const clock = virtualClock(Date.parse('2026-01-01T00:00:00Z'))
const environment = { PATH: process.env['PATH'], GIVEN: 'from outside' }

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'dayfly-plugin-'))
})
afterAll(() => rm(folder, { recursive: true }))

type Exec = Readonly<Record<string, unknown>>

/** Loads a kubeconfig whose user runs this shell script. */
async function load(script: string, exec: Exec = {}, isTerminal = false) {
  await writeFile(path.join(folder, 'plugin'), `#!/bin/sh\n${script}\n`)
  await chmod(path.join(folder, 'plugin'), 0o755)
  const user = { exec: { apiVersion: version, command: './plugin', ...exec } }
  const file = path.join(folder, 'config')
  await writeFile(
    file,
    stringify({
      clusters: [{ name: 'c', cluster: { server: 'https://10.0.0.1:6443', 'insecure-skip-tls-verify': true } }],
      users: [{ name: 'u', user }],
      contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
      'current-context': 'x',
    }),
  )
  return loadKubeconfig(file, undefined, pluginHost({ environment, isTerminal, clock }))
}

const credential = (status: object, apiVersion = version) =>
  `echo '${JSON.stringify({ apiVersion, kind: 'ExecCredential', status })}'`

it('returns a token, and receives its arguments, its environment and the cluster', async () => {
  const script = `echo "$GIVEN $OWN $1 $KUBERNETES_EXEC_INFO" > ${folder}/seen; ${credential({ token: 'secret' })}`
  const env = [{ name: 'OWN', value: 'own' }]
  const { token } = await load(script, { args: ['get-token'], env, provideClusterInfo: true })
  expect(token).toMatchObject({ kind: 'plugin', first: { token: 'secret', expiresAt: undefined } })
  const [words, info] = (await readFile(path.join(folder, 'seen'), 'utf8')).split(/ (?=\{)/)
  expect(words).toBe('from outside own get-token')
  const cluster = { server: 'https://10.0.0.1:6443', 'insecure-skip-tls-verify': true }
  expect(JSON.parse(info ?? '')).toEqual({
    apiVersion: version,
    kind: 'ExecCredential',
    spec: { interactive: false, cluster },
  })
})

it('runs again before its credential expires, and after the server refuses the credential', async () => {
  const until = new Date(clock.now() + 600_000).toISOString()
  const status = `{"token": "t$(wc -l < ${folder}/runs)", "expirationTimestamp": "${until}"}`
  const script = `echo >> ${folder}/runs; printf '%s' "{\\"apiVersion\\": \\"${version}\\", \\"kind\\": \\"ExecCredential\\", \\"status\\": ${status.replaceAll('"', '\\"')}}"`
  const { token } = await load(script)
  const seen: string[] = []
  let refused = ''
  const transport = withToken(
    async ({ headers }) => {
      seen.push(headers['authorization']?.slice(7) ?? 'none')
      return jsonAnswer(headers['authorization'] === `Bearer ${refused}` ? 401 : 200, {})
    },
    tokenSource(token, clock),
  )
  const request = { method: 'GET', path: '/', query: {}, headers: {}, body: { kind: 'none' }, expect: 'whole' } as const
  const call = async () => (await transport(request)).status
  expect([await call(), await call(), seen]).toEqual([200, 200, ['t1', 't1']])
  refused = 't1'
  // Two requests that are refused at the same time share one run.
  expect(await Promise.all([call(), call()])).toEqual([200, 200])
  expect(seen.slice(2)).toEqual(['t1', 't1', 't2', 't2'])
  await clock.advance(550_000)
  expect([await call(), seen.at(-1)]).toEqual([200, 't3'])
})

it.each([
  ['fails', 'exit 3', {}, 'it ended with exit code 3'],
  ['is killed', 'kill -9 $$', {}, 'it was ended by SIGKILL'],
  ['is not installed', '', { command: 'no-such-plugin' }, 'it is not installed, or not in PATH'],
  ['is not executable', '', { command: '/dev/null' }, 'this user may not execute it'],
  ['prints something else', 'echo secret', {}, 'it did not print an ExecCredential'],
  ['prints endlessly', 'exec yes secret', {}, 'it printed more than a credential'],
  [
    'prints another version',
    credential({ token: 's' }, `${version}beta1`),
    {},
    `it printed apiVersion ${version}beta1 instead of ${version}`,
  ],
  ['prints two words', credential({ token: 'secret secret' }), {}, 'its token contains spaces or non-ASCII characters'],
  ['prints an empty token', credential({ token: ' ' }), {}, 'it printed no token'],
  [
    'prints a certificate',
    credential({ clientCertificateData: 'x' }),
    {},
    'it printed a client certificate but no token',
  ],
  [
    'needs a terminal',
    credential({ token: 's' }),
    { interactiveMode: 'Always' },
    'it needs a terminal to ask questions, and stdin is not a terminal',
  ],
])('fails with the reason, but without its output, if it %s', async (_, script, exec, why) => {
  const error = await load(script, exec).catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({ code: 'kubeconfig-credential', at: 'users[name=u].user.exec' })
  expect(String(error)).toContain(`returned no token: ${why}.`)
  expect(String(error)).not.toContain('secret')
})

it("gives the kubeconfig's install hint as the next step if it is missing", async () => {
  const exec = { command: 'no-such-plugin', installHint: '  Install it with: brew install no-such-plugin\n' }
  await expect(load('', exec)).rejects.toMatchObject({ next: 'Install it with: brew install no-such-plugin' })
})

it('fails without a crash if its arguments contain null bytes', async () => {
  const loading = load('', { args: ['a\u0000b'] })
  await expect(loading).rejects.toMatchObject({ code: 'kubeconfig-credential' })
  await expect(loading).rejects.toThrow('without null bytes')
})

it('is killed if it hangs and may not ask questions', async () => {
  const loading = load('exec sleep 300').catch((thrown: unknown) => String(thrown))
  await expect.poll(() => clock.next()).toBeDefined()
  await clock.advance(60_000)
  expect(await loading).toContain('it took longer than 60 s')
})

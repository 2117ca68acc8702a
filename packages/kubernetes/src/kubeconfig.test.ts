import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { selfSignedCertificate } from '@dayfly/kit/certificate'
import { jsonAnswer } from '@dayfly/kit/http'
import { httpServer } from '@dayfly/kit/http-server'
import { seededRandom } from '@dayfly/kit/random'
import { systemClock } from '@dayfly/kit/system'
import { virtualClock } from '@dayfly/kit/virtual-clock'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { createKubernetes } from './client.ts'
import { connect } from './connect.ts'
import { loadKubeconfig } from './kubeconfig.ts'
import { KubeconfigError } from './kubeconfig-error.ts'
import { tokenSource, withToken } from './token.ts'

const pair = selfSignedCertificate(Date.now())
const other = selfSignedCertificate(Date.now())
const base64 = (text: string) => Buffer.from(text).toString('base64')

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dayfly-kubeconfig-'))
})
afterAll(() => rm(folder, { recursive: true }))

const good = (change: { cluster?: object; user?: object; context?: object } & Record<string, unknown> = {}) => {
  const { cluster, user, context, ...rest } = change
  return {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'c', cluster: { server: 'https://10.0.0.1:6443/', ...cluster } }],
    users: [{ name: 'u', user: { token: 'secret', ...user } }],
    contexts: [
      { name: 'x', context: { cluster: 'c', user: 'u', ...context } },
      { name: 'bare', context: { cluster: 'c' } },
    ],
    'current-context': 'x',
    preferences: {},
    ...rest,
  }
}

async function written(content: unknown, name = 'config'): Promise<string> {
  const file = join(folder, name)
  await writeFile(file, typeof content === 'string' || Buffer.isBuffer(content) ? content : stringify(content))
  return file
}

describe('a kubeconfig', () => {
  it('yields the server, namespace and token of its current context or of the requested one', async () => {
    const file = await written(good({ context: { namespace: 'ci' } }))
    expect(await loadKubeconfig(file)).toEqual({
      server: 'https://10.0.0.1:6443',
      namespace: 'ci',
      tls: {},
      token: { kind: 'fixed', token: 'secret' },
    })
    expect(await loadKubeconfig(file, 'bare')).toMatchObject({ namespace: 'default', token: { kind: 'none' } })
  })

  it('holds certificates as data or as paths of files, and the path of a token file', async () => {
    await mkdir(join(folder, 'pki'), { recursive: true })
    await writeFile(join(folder, 'pki/ca.crt'), pair.cert)
    await writeFile(join(folder, 'pki/me.crt'), pair.cert)
    await writeFile(join(folder, 'pki/me.key'), pair.key)
    const files = good({
      cluster: { 'certificate-authority': 'pki/ca.crt', 'tls-server-name': 'kubernetes' },
      user: { 'client-certificate': 'pki/me.crt', 'client-key': 'pki/me.key', tokenFile: 'token' },
    })
    const tls = { ca: pair.cert, cert: pair.cert, key: pair.key }
    expect(await loadKubeconfig(await written(files))).toMatchObject({
      tls: { ...tls, servername: 'kubernetes' },
      token: { kind: 'file', path: join(folder, 'token') },
    })
    const data = good({
      cluster: { 'certificate-authority-data': base64(pair.cert) },
      user: { 'client-certificate-data': base64(pair.cert), 'client-key-data': base64(pair.key) },
    })
    expect((await loadKubeconfig(await written(data))).tls).toEqual(tls)
    const insecure = good({ cluster: { 'insecure-skip-tls-verify': true } })
    expect((await loadKubeconfig(await written(insecure))).tls).toEqual({ rejectUnauthorized: false })
  })

  const rows: readonly (readonly [what: string, content: unknown, code: string, at: string, sentence: string])[] = [
    ['is not YAML', 'a: [1\nb: }', 'kubeconfig-invalid', 'line 2', 'This is not valid YAML'],
    ['is binary', Buffer.from([0, 1, 2, 255]), 'kubeconfig-invalid', '', ''],
    ['is empty', '', 'kubeconfig-invalid', '', 'The file is empty.'],
    ['is an alias bomb', aliasBomb(), 'kubeconfig-invalid', '', 'cannot be resolved'],
    ['is another document', { kind: 'Pod', apiVersion: 'v1' }, 'kubeconfig-invalid', 'kind', 'Config'],
    [
      'has a list for a name',
      good({ context: { cluster: ['c'] } }),
      'kubeconfig-invalid',
      'contexts[0].context.cluster',
      '',
    ],
    [
      'has no current context',
      good({ 'current-context': '' }),
      'kubeconfig-invalid',
      'current-context',
      'No current context',
    ],
    ['names an unknown context', good({ 'current-context': 'y' }), 'kubeconfig-invalid', 'contexts', '"y"'],
    ['is new from kubectl', freshFile(), 'kubeconfig-invalid', 'current-context', 'No current context'],
    [
      'names an unknown cluster',
      good({ clusters: [] }),
      'kubeconfig-invalid',
      'contexts[name=x].context.cluster',
      '"c"',
    ],
    ['names an unknown user', good({ users: null }), 'kubeconfig-invalid', 'contexts[name=x].context.user', '"u"'],
    [
      'has a bare host',
      good({ cluster: { server: '10.0.0.1:6443' } }),
      'kubeconfig-invalid',
      'clusters[name=c].cluster.server',
      'URL',
    ],
    [
      'has an ftp server',
      good({ cluster: { server: 'ftp://x' } }),
      'kubeconfig-invalid',
      'clusters[name=c].cluster.server',
      'URL',
    ],
    ['has a number as token', good({ user: { token: 7 } }), 'kubeconfig-invalid', 'users[0].user.token', 'string'],
    [
      'has a credential plugin, which this caller does not run',
      good({ user: { exec: { apiVersion: 'client.authentication.k8s.io/v1', command: 'aws' } } }),
      'kubeconfig-unsupported',
      'users[name=u].user.exec',
      'credential plugins',
    ],
    [
      'has a credential plugin of a removed version',
      good({ user: { exec: { apiVersion: 'client.authentication.k8s.io/v1alpha1', command: 'aws' } } }),
      'kubeconfig-invalid',
      'users[0].user.exec.apiVersion',
      'v1beta1',
    ],
    [
      'has an auth provider',
      good({ user: { 'auth-provider': {} } }),
      'kubeconfig-unsupported',
      'users[name=u].user.auth-provider',
      '',
    ],
    [
      'has a password',
      good({ user: { username: 'a', password: 'b' } }),
      'kubeconfig-unsupported',
      'users[name=u].user.username',
      '',
    ],
    ['impersonates', good({ user: { as: 'b' } }), 'kubeconfig-unsupported', 'users[name=u].user.as', ''],
    [
      'needs a proxy',
      good({ cluster: { 'proxy-url': 'http://p' } }),
      'kubeconfig-unsupported',
      'clusters[name=c].cluster.proxy-url',
      '',
    ],
    [
      'has an invalid CA',
      good({ cluster: { 'certificate-authority-data': base64('x') } }),
      'kubeconfig-credential',
      'clusters[name=c].cluster.certificate-authority',
      'PEM',
    ],
    [
      'has a CA and skips its check',
      good({ cluster: { 'certificate-authority-data': base64(pair.cert), 'insecure-skip-tls-verify': true } }),
      'kubeconfig-invalid',
      'clusters[name=c].cluster.insecure-skip-tls-verify',
      'contradicts',
    ],
    [
      'names a file that does not exist',
      good({ cluster: { 'certificate-authority': 'none.crt' } }),
      'kubeconfig-missing',
      'clusters[name=c].cluster.certificate-authority',
      'none.crt',
    ],
    [
      'has a key without a certificate',
      good({ user: { 'client-key-data': base64(pair.key) } }),
      'kubeconfig-credential',
      'users[name=u].user',
      'client-certificate is missing',
    ],
    [
      'has the key of another certificate',
      good({ user: { 'client-certificate-data': base64(pair.cert), 'client-key-data': base64(other.key) } }),
      'kubeconfig-credential',
      'users[name=u].user.client-key',
      'does not belong',
    ],
    ['is huge', `# ${'x'.repeat(1_100_000)}`, 'kubeconfig-unreadable', '', 'bytes'],
  ]
  it.each(rows)('is refused with a field and a next step if it %s', async (_, content, code, at, sentence) => {
    const file = await written(content)
    const error = await loadKubeconfig(file).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(KubeconfigError)
    const problem = error as KubeconfigError
    expect(problem).toMatchObject({ code, file, at })
    expect(problem.message).toContain(sentence)
    expect(problem.message).toMatch(/\.$/)
    expect(problem.next).toMatch(/\.$/)
    expect(problem.message).not.toContain('secret')
  })

  it('has an error code of its own if it is missing or unreadable', async () => {
    const code = (file: string) => loadKubeconfig(file).catch((error: KubeconfigError) => error.code)
    expect(await code(join(folder, 'nothing'))).toBe('kubeconfig-missing')
    expect(await code(folder)).toBe('kubeconfig-unreadable')
    await symlink('loop', join(folder, 'loop'))
    expect(await code(join(folder, 'loop'))).toBe('kubeconfig-unreadable')
  })
})

describe('a token file', () => {
  it('is read again each minute, and after a refusal, which repeats the request once', async () => {
    const clock = virtualClock()
    const path = await written('one\n', 'rotating')
    const source = tokenSource({ kind: 'file', path }, clock)
    let accepted = 'one'
    const seen: string[] = []
    const transport = withToken(async ({ headers }) => {
      seen.push(headers['authorization'] ?? '')
      return jsonAnswer(headers['authorization'] === `Bearer ${accepted}` ? 200 : 401, {})
    }, source)
    const call = async () => {
      const body = { kind: 'none' } as const
      return (await transport({ method: 'GET', path: '/', query: {}, headers: {}, body, expect: 'whole' })).status
    }
    expect(await call()).toBe(200)
    await written('two\n', 'rotating')
    expect(await call()).toBe(200)
    accepted = 'two'
    expect(await call()).toBe(200)
    accepted = 'three'
    expect(await call()).toBe(401)
    await written('three\n', 'rotating')
    await clock.advance(60_000)
    expect(await call()).toBe(200)
    await rm(path)
    await clock.advance(60_000)
    expect(await call()).toBe(200)
    expect(seen.map((header) => header.slice(7))).toEqual(['one', 'one', 'one', 'two', 'two', 'three', 'three'])
  })

  it('leaves requests unsent while it is missing, and the client retries them', async () => {
    const path = join(folder, 'later')
    const clock = systemClock()
    const transport = withToken(
      async () => jsonAnswer(200, { metadata: { name: 'x' } }),
      tokenSource({ kind: 'file', path }, clock),
    )
    const kubernetes = createKubernetes({ transport, clock, random: seededRandom(1) })
    const namespaces = { group: '', version: 'v1', plural: 'namespaces', kind: 'Namespace', namespaced: false }
    const call = kubernetes.get(namespaces, { name: 'x' })
    await clock.sleep(50)
    await written('there', 'later')
    expect((await call).metadata.name).toBe('x')
  })
})

describe('a connection', () => {
  it("trusts the given authority only and keeps the path of the server's URL", async () => {
    const paths: string[] = []
    const server = await httpServer(
      async ({ path, headers }) => {
        paths.push(path)
        return jsonAnswer(200, { authorization: headers['authorization'] ?? '' })
      },
      { tls: pair },
    )
    const address = `${server.origin}/clusters/one`
    const body = { kind: 'none' } as const
    const outcome = async (cluster: object) => {
      const kubeconfig = await loadKubeconfig(await written(good({ cluster: { server: address, ...cluster } })))
      const connection = connect(kubeconfig, systemClock())
      try {
        return (
          await connection.transport({ method: 'GET', path: '/api', query: {}, headers: {}, body, expect: 'whole' })
        ).body
      } catch (error) {
        return (error as { kind: string }).kind
      } finally {
        await connection.close()
      }
    }
    const answer = { kind: 'json', value: { authorization: 'Bearer secret' } }
    expect(await outcome({ 'certificate-authority-data': base64(pair.cert) })).toEqual(answer)
    expect(await outcome({ 'insecure-skip-tls-verify': true })).toEqual(answer)
    expect(await outcome({ 'certificate-authority-data': base64(other.cert) })).toBe('certificate')
    expect(await outcome({})).toBe('certificate')
    const misnamed = { 'certificate-authority-data': base64(pair.cert), 'tls-server-name': 'elsewhere' }
    expect(await outcome(misnamed)).toBe('certificate')
    expect(paths).toEqual(['/clusters/one/api', '/clusters/one/api'])
    await server.close()
  })
})

function aliasBomb(): string {
  const levels = Array.from({ length: 12 }, (_, level) => {
    const value = level === 0 ? '[x]' : `[${Array.from({ length: 10 }, () => `*l${level - 1}`).join(', ')}]`
    return `l${level}: &l${level} ${value}`
  })
  return levels.join('\n')
}

function freshFile(): object {
  return {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: null,
    contexts: null,
    users: null,
    'current-context': '',
    preferences: {},
  }
}

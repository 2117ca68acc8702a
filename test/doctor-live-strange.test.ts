// API servers that are not what one expects: `doctor --live` says what it could not read, ends as documented, and never breaks.
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { jsonReport } from '../src/doctor/reporters/shape.ts'
import { selfSignedCertificate } from '../src/embedded/wire/certificate.ts'
import { type Answer, jsonAnswer, textAnswer } from '../src/lib/http.ts'
import { httpServer } from '../src/lib/http-server.ts'
import type { CliResult } from './cli.ts'
import { doomed, makeZombies, openRepairStage, type RepairStage } from './doctor-repair-stage.ts'
import { broken, refusal } from './recording-proxy.ts'

let stage: RepairStage
beforeEach(async () => {
  stage = await openRepairStage()
})
afterEach(() => stage.end())

/** In the server's place, wherever the path fits. */
function answering(fits: RegExp, answer: (pass: () => Promise<Answer>) => Answer | Promise<Answer>): void {
  const before = stage.proxy.between
  stage.proxy.between = async (exchange, pass) =>
    fits.test(exchange.request.path) ? await answer(pass) : await before(exchange, pass)
}

/** Each list as this makes it. */
function rewriting(change: (list: ListBody) => unknown): void {
  answering(/./, async (pass) => {
    const answer = await pass()
    const list = answer.body.kind === 'json' ? (answer.body.value as ListBody) : undefined
    return list?.items ? { ...answer, body: { kind: 'json', value: change(list) } } : answer
  })
}
type ListBody = { readonly metadata: Record<string, unknown>; readonly items: readonly Record<string, unknown>[] }

function codesIn({ stdout }: CliResult): readonly string[] {
  return jsonReport.parse(JSON.parse(stdout)).findings.map(({ code, object }) => `${code} ${object.name}`)
}

/** The paths of what was asked for in pages. */
function listed(): readonly string[] {
  return stage.proxy.exchanges.flatMap(({ request }) => (request.query['limit'] === undefined ? [] : request.path))
}

/** `Kind: reason`. */
function unreadIn({ stdout }: CliResult): readonly string[] {
  const { coverage } = jsonReport.parse(JSON.parse(stdout))
  return coverage.skipped.map(({ file, reason }) => `${file}: ${reason}`)
}

describe('a server that', () => {
  it('does not know whether one may: what the least role leaves out is asked for, and a repair goes on and says so', async () => {
    makeZombies(stage, 'r1')
    for (const [status, reason] of [
      [404, 'NotFound'],
      [403, 'Forbidden'],
      [405, 'MethodNotAllowed'],
    ] as const) {
      answering(/selfsubjectaccessreviews$/, () => refusal(status, reason, 'the server does not do this'))
      const { code, stdout, stderr } = await stage.doctor('--fix')
      expect(JSON.parse(stdout).coverage).toMatchObject({ skipped: [], leftOut: [] })
      expect(stderr).toContain('whether you may do all of it is not known (the server does not do this)')
      expect([code, stderr]).toEqual([1, expect.stringContaining('--confirm')])
    }
    const { code } = await stage.doctor('--fix', '--confirm', await stage.digest())
    expect([code, doomed(stage)]).toEqual([0, ['r1']])
  })

  it('serves next to nothing, and no discovery: the rest is unread, and what is there is found', async () => {
    makeZombies(stage, 'r1')
    answering(/./, (pass) => pass())
    const before = stage.proxy.between
    stage.proxy.between = async (exchange, pass) =>
      /^\/api\/v1\/(pods|nodes)$/.test(exchange.request.path)
        ? await before(exchange, pass)
        : textAnswer(404, '404 page not found\n')
    const told = await stage.doctor()
    expect(codesIn(told)).toContain('LIV301 r1')
    expect(unreadIn(told)).toEqual(
      expect.arrayContaining(['Job: 404 page not found', 'EphemeralRunner: 404 page not found']),
    )
    expect(told.code).toBe(1)
  })

  it('lists without what is not needed: kinds, continue, a count of what remains', async () => {
    makeZombies(stage, 'r1')
    const told = await stage.doctor()
    rewriting(({ metadata: { resourceVersion }, items }) => ({
      metadata: { resourceVersion },
      items: items.map(({ apiVersion: _, kind: __, ...item }) => item),
    }))
    expect(codesIn(await stage.doctor())).toEqual(codesIn(told))
  })

  it.each([
    ['no resourceVersion', ({ items }: ListBody) => ({ metadata: {}, items }), 'without a list'],
    ['nameless objects', (list: ListBody) => ({ ...list, items: [{ metadata: {} }] }), 'an object without a name'],
    ['an object for items', (list: ListBody) => ({ ...list, items: {} }), 'without a list'],
    ['text for an object', (list: ListBody) => ({ ...list, items: ['x', null] }), 'an object without a name'],
  ])('lists with %s: that is no list, and nothing is taken for empty', async (_, change, says) => {
    rewriting(change)
    const { code, stdout, stderr } = await stage.doctor()
    expect(stderr).toMatch(new RegExp(`^error cluster-unreadable: .*${says}`))
    expect([code, stdout]).toEqual([3, ''])
  })

  it('answers with what is no JSON, no object, or a page for browsers', async () => {
    for (const answer of [textAnswer(200, 'welcome'), jsonAnswer(200, []), jsonAnswer(200, null), jsonAnswer(200, 7)]) {
      answering(/./, () => answer)
      const { code, stderr } = await stage.doctor()
      expect(stderr).toMatch(/^error cluster-unreadable: .+answered 200 without a list\.\n {2}next: .+\n$/)
      expect(code).toBe(3)
    }
    const page = '<!doctype html>\n<title>Sign in</title>'
    answering(/./, () => textAnswer(403, page, { 'content-type': 'text/html' }))
    const { code, stderr } = await stage.doctor()
    expect(stderr).toMatch(
      /^error cluster-unreadable: Nothing of the cluster could be read; Pod: not allowed to list it/,
    )
    expect(code).toBe(3)
  })

  it('refuses whoever asks: each list is asked for once', async () => {
    answering(/./, () => refusal(401, 'Unauthorized', 'no'))
    const { code, stderr } = await stage.doctor()
    expect(stderr).toMatch(
      /^error cluster-unreadable: Nothing of the cluster could be read; Pod: no\.\n {2}next: .+\n$/,
    )
    expect([code, listed().length]).toEqual([3, new Set(listed()).size])
  })

  it('fails for everything: after two kinds it is left alone', async () => {
    answering(/./, () => refusal(500, 'InternalError', 'no'))
    const { code, stderr } = await stage.doctor()
    expect(stderr).toMatch(
      /^error cluster-unreadable: Nothing of the cluster could be read; Pod: no\.\n {2}next: .+\n$/,
    )
    expect([code, ...new Set(listed())]).toEqual([3, '/api/v1/pods', '/apis/batch/v1/jobs'])
  })

  it('fails in one kind alone: that one is unread, and the rules that need it are skipped', async () => {
    makeZombies(stage, 'r1')
    answering(/\/jobs$/, () => textAnswer(502, '<html>bad gateway</html>', { 'content-type': 'text/html' }))
    const told = await stage.doctor()
    expect(codesIn(told)).toContain('LIV301 r1')
    expect(unreadIn(told)).toEqual(['Job: the API server answered 502'])
    const { coverage } = jsonReport.parse(JSON.parse(told.stdout))
    expect(coverage.skippedRules.map(({ rule }) => rule)).toContain('tracking-finalizer-stuck')
  })

  it('goes away in the middle: what was not read is said', async () => {
    makeZombies(stage, 'r1')
    answering(/\/nodes$/, async () => {
      void stage.proxy.endpoint.close()
      return broken
    })
    const told = await stage.doctor()
    expect(codesIn(told)).toContain('LIV301 r1')
    expect(unreadIn(told)).toEqual(
      expect.arrayContaining([expect.stringMatching(/^Node: .+/), expect.stringMatching(/^Role: .+/)]),
    )
    expect(told.code).toBe(1)
  })

  it('has no namespace of that name: nothing was analysed, which is 3', async () => {
    const { code, stderr } = await stage.doctor('-n', 'nowhere')
    expect([code, stderr]).toEqual([3, 'nothing was analysed: no object was found in the namespace nowhere\n'])
  })
})

describe('with a kubeconfig', () => {
  const base64 = (text: string) => Buffer.from(text).toString('base64')
  const pair = selfSignedCertificate(Date.now())
  const plugin = { apiVersion: 'client.authentication.k8s.io/v1' }

  /** Of the running cluster, changed. */
  function put({ cluster, user = {} }: { readonly cluster?: object; readonly user?: object }): void {
    const { origin, ca } = stage.proxy.endpoint
    const own = cluster ?? { 'certificate-authority-data': base64(ca) }
    const config = {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'c', cluster: { server: origin, ...own } }],
      users: [{ name: 'u', user }],
      contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
      'current-context': 'x',
    }
    writeFileSync(path.join(stage.folder, 'kubeconfig'), stringify(config))
  }

  it.each([
    ['a token', { user: { token: 'secret' } }],
    ['a token file', { user: { tokenFile: 'token' } }],
    ['a server that is not checked', { cluster: { 'insecure-skip-tls-verify': true }, user: { token: 'secret' } }],
    [
      'a client certificate',
      { user: { token: 'secret', 'client-certificate-data': base64(pair.cert), 'client-key-data': base64(pair.key) } },
    ],
  ])('with %s: clean', async (_, parts) => {
    writeFileSync(path.join(stage.folder, 'token'), 'secret\n')
    put(parts)
    expect(await stage.doctor()).toMatchObject({ code: 0, stderr: '' })
  })

  it('with a credential plugin, as of EKS, GKE and AKS: clean', async () => {
    const file = path.join(stage.folder, 'get-token')
    const answer = { ...plugin, kind: 'ExecCredential', status: { token: 'secret' } }
    writeFileSync(file, `#!/bin/sh\necho '${JSON.stringify(answer)}'\n`, { mode: 0o755 })
    put({ user: { exec: { ...plugin, command: './get-token' } } })
    expect(await stage.doctor()).toMatchObject({ code: 0, stderr: '' })
  })

  it('that names what `kubectl proxy` serves, which asks for no credentials: clean', async () => {
    const headers = { authorization: 'Bearer secret' }
    const server = await httpServer((request) =>
      stage.handler({ ...request, headers: { ...request.headers, ...headers } }),
    )
    put({ cluster: { server: server.origin } })
    expect(await stage.doctor()).toMatchObject({ code: 0, stderr: '' })
    await server.close()
  })

  it.each([
    [
      'a plugin that is missing',
      { user: { exec: { ...plugin, command: 'no-such-plugin' } } },
      2,
      'kubeconfig-credential',
    ],
    ['a proxy', { cluster: { 'proxy-url': 'http://p' }, user: { token: 'secret' } }, 2, 'kubeconfig-unsupported'],
    ['half a pair', { user: { 'client-certificate-data': base64(pair.cert) } }, 2, 'kubeconfig-credential'],
    ['a missing token file', { user: { tokenFile: 'nothing' } }, 3, 'cluster-unreachable'],
    ['another authority', { cluster: { 'certificate-authority-data': base64(pair.cert) } }, 3, 'cluster-unreachable'],
    ['no authority', { cluster: {}, user: { token: 'secret' } }, 3, 'cluster-unreachable'],
    ['nobody there', { cluster: { server: 'https://127.0.0.1:1' } }, 3, 'cluster-unreachable'],
    ['no such host', { cluster: { server: 'https://nowhere.invalid' } }, 3, 'cluster-unreachable'],
  ] as const)('with %s: said at once, with the next step', async (_, parts, code, failure) => {
    put(parts)
    const told = await stage.doctor()
    expect(told.stderr).toMatch(new RegExp(`^error ${failure}: .+\n {2}next: .+\n$`))
    expect([told.code, told.stdout, stage.proxy.exchanges]).toEqual([code, '', []])
  })
})

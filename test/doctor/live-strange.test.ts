// Unusual API servers: `doctor --live` names what it could not read, ends with the documented exit code, and never crashes.
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { jsonReport } from '@dayfly/doctor/report/shape'
import { selfSignedCertificate } from '@dayfly/kit/certificate'
import { type Answer, jsonAnswer, textAnswer } from '@dayfly/kit/http'
import { httpServer } from '@dayfly/kit/http-server'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import type { Run } from '../program-here.ts'
import { broken, refusal } from './recording-proxy.ts'
import { doomed, makeZombies, openRepairStage, type RepairStage } from './repair-stage.fixture.ts'

let stage: RepairStage
beforeEach(async () => {
  stage = await openRepairStage()
})
afterEach(() => stage.end())

/** Answers in place of the server if the path matches. */
function answering(fits: RegExp, answer: (pass: () => Promise<Answer>) => Answer | Promise<Answer>): void {
  const before = stage.proxy.between
  stage.proxy.between = async (exchange, pass) =>
    fits.test(exchange.request.path) ? await answer(pass) : await before(exchange, pass)
}

/** Changes each list. */
function rewriting(change: (list: ListBody) => unknown): void {
  answering(/./, async (pass) => {
    const answer = await pass()
    const list = answer.body.kind === 'json' ? (answer.body.value as ListBody) : undefined
    return list?.items ? { ...answer, body: { kind: 'json', value: change(list) } } : answer
  })
}
type ListBody = { readonly metadata: Record<string, unknown>; readonly items: readonly Record<string, unknown>[] }

function codesIn({ stdout }: Run): readonly string[] {
  return jsonReport.parse(JSON.parse(stdout)).findings.map(({ code, object }) => `${code} ${object.name}`)
}

/** The paths of the requested pages. */
function listed(): readonly string[] {
  return stage.proxy.exchanges.flatMap(({ request }) => (request.query['limit'] === undefined ? [] : request.path))
}

/** `Kind: reason`. */
function unreadIn({ stdout }: Run): readonly string[] {
  const { coverage } = jsonReport.parse(JSON.parse(stdout))
  return coverage.skipped.map(({ file, reason }) => `${file}: ${reason}`)
}

describe('a server that', () => {
  it('does not know the permissions: optional kinds are requested, and a repair goes on and says so', async () => {
    makeZombies(stage, 'r1')
    for (const [status, reason] of [
      [404, 'NotFound'],
      [403, 'Forbidden'],
      [405, 'MethodNotAllowed'],
    ] as const) {
      answering(/selfsubjectaccessreviews$/, () => refusal(status, reason, 'the server does not do this'))
      const { code, stdout, stderr } = await stage.doctor('--fix')
      expect(JSON.parse(stdout).coverage).toMatchObject({ skipped: [], leftOut: [] })
      expect(stderr).toContain('your permissions are not fully known (the server does not do this)')
      expect([code, stderr]).toEqual([1, expect.stringContaining('--confirm')])
    }
    const { code } = await stage.doctor('--fix', '--confirm', await stage.digest())
    expect([code, doomed(stage)]).toEqual([0, ['r1']])
  })

  it('serves few kinds and no discovery: the other kinds are unread, and the served ones are examined', async () => {
    makeZombies(stage, 'r1')
    answering(/./, (pass) => pass())
    const before = stage.proxy.between
    stage.proxy.between = async (exchange, pass) =>
      /^\/api\/v1\/(pods|nodes)$/.test(exchange.request.path)
        ? await before(exchange, pass)
        : textAnswer(404, '404 page not found\n')
    const output = await stage.doctor()
    expect(codesIn(output)).toContain('LIV301 r1')
    expect(unreadIn(output)).toEqual(
      expect.arrayContaining(['Job: 404 page not found', 'EphemeralRunner: 404 page not found']),
    )
    expect(output.code).toBe(1)
  })

  it('omits optional fields of a list: kinds, continue, the remaining count', async () => {
    makeZombies(stage, 'r1')
    const output = await stage.doctor()
    rewriting(({ metadata: { resourceVersion }, items }) => ({
      metadata: { resourceVersion },
      items: items.map(({ apiVersion: _, kind: __, ...item }) => item),
    }))
    expect(codesIn(await stage.doctor())).toEqual(codesIn(output))
  })

  it.each([
    ['no resourceVersion', ({ items }: ListBody) => ({ metadata: {}, items }), 'without a list'],
    ['nameless objects', (list: ListBody) => ({ ...list, items: [{ metadata: {} }] }), 'an object without a name'],
    ['an object for items', (list: ListBody) => ({ ...list, items: {} }), 'without a list'],
    ['text for an object', (list: ListBody) => ({ ...list, items: ['x', null] }), 'an object without a name'],
  ])('lists with %s: that is no list, and nothing counts as empty', async (_, change, says) => {
    rewriting(change)
    const { code, stdout, stderr } = await stage.doctor()
    expect(stderr).toMatch(new RegExp(`^error cluster-unreadable: .*${says}`))
    expect([code, stdout]).toEqual([3, ''])
  })

  it('answers with invalid JSON, with no object, or with a page for browsers', async () => {
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

  it('refuses every request: each list is requested once', async () => {
    answering(/./, () => refusal(401, 'Unauthorized', 'no'))
    const { code, stderr } = await stage.doctor()
    expect(stderr).toMatch(
      /^error cluster-unreadable: Nothing of the cluster could be read; Pod: no\.\n {2}next: .+\n$/,
    )
    expect([code, listed().length]).toEqual([3, new Set(listed()).size])
  })

  it('fails for every kind: after two kinds, no further request is sent', async () => {
    answering(/./, () => refusal(500, 'InternalError', 'no'))
    const { code, stderr } = await stage.doctorProcess()
    expect(stderr).toMatch(
      /^error cluster-unreadable: Nothing of the cluster could be read; Pod: no\.\n {2}next: .+\n$/,
    )
    expect([code, ...new Set(listed())]).toEqual([3, '/api/v1/pods', '/apis/batch/v1/jobs'])
  })

  it('fails for one kind only: that kind is unread, and the rules that need it are skipped', async () => {
    makeZombies(stage, 'r1')
    answering(/\/jobs$/, () => textAnswer(502, '<html>bad gateway</html>', { 'content-type': 'text/html' }))
    const output = await stage.doctor()
    expect(codesIn(output)).toContain('LIV301 r1')
    expect(unreadIn(output)).toEqual(['Job: the API server answered 502'])
    const { coverage } = jsonReport.parse(JSON.parse(output.stdout))
    expect(coverage.skippedRules.map(({ rule }) => rule)).toContain('tracking-finalizer-stuck')
  })

  it('goes away in the middle: the unread kinds are named', async () => {
    makeZombies(stage, 'r1')
    answering(/\/nodes$/, async () => {
      void stage.proxy.endpoint.close()
      return broken
    })
    const output = await stage.doctorProcess()
    expect(codesIn(output)).toContain('LIV301 r1')
    expect(unreadIn(output)).toEqual(
      expect.arrayContaining([expect.stringMatching(/^Node: .+/), expect.stringMatching(/^Role: .+/)]),
    )
    expect(output.code).toBe(1)
  })

  it('has no namespace with that name: nothing was analysed, which is 3', async () => {
    const { code, stderr } = await stage.doctor('-n', 'nowhere')
    expect([code, stderr]).toEqual([3, 'nothing was analysed: no object was found in the namespace nowhere\n'])
  })
})

describe('a kubeconfig', () => {
  const base64 = (text: string) => Buffer.from(text).toString('base64')
  const pair = selfSignedCertificate(Date.now())
  const plugin = { apiVersion: 'client.authentication.k8s.io/v1' }

  /** Writes the kubeconfig of the running cluster, with changes. */
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
  ])('gives a clean report with %s', async (_, parts) => {
    writeFileSync(path.join(stage.folder, 'token'), 'secret\n')
    put(parts)
    expect(await stage.doctor()).toMatchObject({ code: 0, stderr: '' })
  })

  it('with a credential plugin, as for EKS, GKE and AKS, gives a clean report', async () => {
    const file = path.join(stage.folder, 'get-token')
    const answer = { ...plugin, kind: 'ExecCredential', status: { token: 'secret' } }
    writeFileSync(file, `#!/bin/sh\necho '${JSON.stringify(answer)}'\n`, { mode: 0o755 })
    put({ user: { exec: { ...plugin, command: './get-token' } } })
    expect(await stage.doctor()).toMatchObject({ code: 0, stderr: '' })
  })

  it('with the address of `kubectl proxy`, which needs no credentials, gives a clean report', async () => {
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
    const output = await stage.doctor()
    expect(output.stderr).toMatch(new RegExp(`^error ${failure}: .+\n {2}next: .+\n$`))
    expect([output.code, output.stdout, stage.proxy.exchanges]).toEqual([code, '', []])
  })
})

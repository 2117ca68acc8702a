// The accounts that an operator names on the command line, each at its emulated forge over loopback.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { CliFailure } from '@dayfly/command-line/failure'
import { createBitbucketEmulator } from '@dayfly/forge-emulators/bitbucket/emulator'
import { createGiteaEmulator } from '@dayfly/forge-emulators/gitea/emulator'
import { createGitHubEmulator } from '@dayfly/forge-emulators/github/emulator'
import { seededRandom } from '@dayfly/kit/random'
import { systemClock } from '@dayfly/kit/system'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { ForgeChoice } from './account-options.ts'
import { accountFlagOf, checkForgeChoice, namesForge, openForge } from './forge-access.ts'

const clock = systemClock()
const random = seededRandom(1)
const caller = { clock, random, userAgent: 'dayfly/0.0.0' }
const token = 's3cret-token'
let folder: string
let close: () => Promise<void>

beforeEach(() => {
  close = async () => {}
  folder = mkdtempSync(path.join(tmpdir(), 'forge-access-'))
})
afterEach(async () => {
  await close()
  rmSync(folder, { recursive: true })
})

function fileOf(text: string): string {
  const file = path.join(folder, 'credential')
  writeFileSync(file, text, { mode: 0o600 })
  return file
}

const forges = {
  github: () => createGitHubEmulator({ clock, random, tokens: [token] }),
  bitbucket: () =>
    createBitbucketEmulator({
      clock,
      random,
      workspaces: [{ slug: 'acme', repositories: [] }],
      credentials: [{ kind: 'access-token', token }],
    }),
  gitea: () =>
    createGiteaEmulator({
      clock,
      random,
      owners: [{ name: 'acme', kind: 'organization', repositories: [] }],
      credentials: [{ token, user: 'ci', scopes: ['all'], isSiteAdmin: true }],
    }),
}

async function urlAt(forge: keyof typeof forges): Promise<string> {
  const server = await forges[forge]().listen(0)
  close = server.close
  return `${server.origin}/acme`
}

test.each<[keyof typeof forges, (url: string, file: string | undefined) => ForgeChoice, string, string]>([
  ['github', (githubUrl, file) => ({ githubUrl, ...(file ? { githubTokenFile: file } : {}) }), 'GITHUB_TOKEN', ''],
  [
    'bitbucket',
    (bitbucketWorkspace, file) => ({ bitbucketWorkspace, ...(file ? { bitbucketCredentialFile: file } : {}) }),
    'BITBUCKET_ACCESS_TOKEN',
    'BITBUCKET_ACCESS_TOKEN=',
  ],
  ['gitea', (giteaUrl, file) => ({ giteaUrl, ...(file ? { giteaTokenFile: file } : {}) }), 'GITEA_TOKEN', ''],
])(
  'opens an account at %s with its credential from a file, else from the environment',
  async (forge, of, name, before) => {
    const url = await urlAt(forge)
    const [byFile, byVariable] = [of(url, fileOf(`${before}${token}\n`)), of(url, undefined)]
    expect([namesForge(byFile), accountFlagOf(byVariable)]).toEqual([true, expect.stringContaining(`--${forge}-`)])
    checkForgeChoice(byFile)
    for (const [choice, environment] of [
      [byFile, {}],
      [byVariable, { [name]: token }],
    ] as const) {
      const { account, close: disconnect } = await openForge(choice, caller, environment)
      expect([account?.url, await account?.registrations()]).toEqual([url, []])
      await disconnect()
    }
    await expect(openForge(byVariable, caller, {})).rejects.toMatchObject({
      details: { next: expect.stringContaining(name) },
    })
  },
)

test('names no account without an option for one, and opens none', async () => {
  expect([namesForge({}), accountFlagOf({})]).toEqual([false, undefined])
  expect((await openForge({}, caller, { GITEA_TOKEN: token })).account).toBeUndefined()
})

test.each<[ForgeChoice, string]>([
  [{ githubUrl: 'https://github.com/acme' }, 'github-token-missing'],
  [{ githubUrl: 'https://github.com/acme', githubTokenFile: 'two words' }, 'github-token-invalid'],
  [{ githubUrl: 'github.com/acme', githubTokenFile: token }, 'github-url-invalid'],
  [{ githubUrl: 'http://github.example/acme', githubTokenFile: token }, 'github-url-insecure'],
  [{ githubTokenFile: token }, 'usage'],
  [{ bitbucketWorkspace: 'acme' }, 'bitbucket-credential-missing'],
  [{ bitbucketWorkspace: 'a/b/c', bitbucketCredentialFile: 'BITBUCKET_ACCESS_TOKEN=x' }, 'bitbucket-url-invalid'],
  [{ bitbucketWorkspace: 'acme', bitbucketCredentialFile: 'ATLASSIAN_API_TOKEN=x' }, 'bitbucket-credential-invalid'],
  [{ bitbucketCredentialFile: 'BITBUCKET_ACCESS_TOKEN=x' }, 'usage'],
  [{ giteaUrl: 'https://gitea.example/acme' }, 'gitea-token-missing'],
  [{ giteaUrl: 'https://gitea.example/acme', giteaTokenFile: '' }, 'gitea-token-invalid'],
  [{ giteaUrl: 'https://gitea.example/acme?tab=runners', giteaTokenFile: token }, 'gitea-url-invalid'],
  [{ giteaUrl: 'http://gitea.example/acme', giteaTokenFile: token }, 'gitea-url-insecure'],
  [{ giteaTokenFile: token }, 'usage'],
  [{ giteaUrl: 'https://gitea.example', githubUrl: 'https://github.com/acme', giteaTokenFile: token }, 'usage'],
])('refuses %o with %s and a next step, without a word of the secret', async (choice, code) => {
  const files = ['githubTokenFile', 'bitbucketCredentialFile', 'giteaTokenFile'] as const
  const written = files.filter((key) => choice[key] !== undefined)
  const given = { ...choice, ...Object.fromEntries(written.map((key) => [key, fileOf(choice[key] ?? '')])) }
  const failure = await Promise.resolve()
    .then(() => checkForgeChoice(given))
    .then(() => openForge(given, caller, {}))
    .then(
      () => undefined,
      (error: unknown) => error,
    )
  expect(failure).toBeInstanceOf(CliFailure)
  expect(failure).toMatchObject({ details: { code, next: expect.stringMatching(/\.$/) } })
  expect(String((failure as CliFailure).message)).not.toContain(token)
})

import { PortError } from '@dayfly/runner-set/model/port-error'
import { expect, test } from 'vitest'
import { createBench } from './bench.fixture.ts'
import { parseConfigUrl } from './config-url.ts'
import { createGitHubForge } from './github.ts'

const valid = `
  https://github.com/org                      organization  https://api.github.com              /orgs/org
  https://github.com/org/                     organization  https://api.github.com              /orgs/org
  /https://github.com/org//                   organization  https://api.github.com              /orgs/org
  https://github.com/org/repo                 repository    https://api.github.com              /repos/org/repo
  https://github.com/enterprises/ent          enterprise    https://api.github.com              /enterprises/ent
  https://github.com/Enterprises/ent          enterprise    https://api.github.com              /enterprises/ent
  https://GitHub.com/org                      organization  https://api.github.com              /orgs/org
  https://github.com:443/org                  organization  https://api.github.com              /orgs/org
  https://www.github.com/org                  organization  https://api.github.com              /orgs/org
  http://github.localhost/org                 organization  http://api.github.localhost         /orgs/org
  https://acme.ghe.com/org                    organization  https://api.acme.ghe.com            /orgs/org
  https://ghes.example.com/org                organization  https://ghes.example.com/api/v3     /orgs/org
  https://ghes.example.com:8443/org/repo      repository    https://ghes.example.com:8443/api/v3 /repos/org/repo
  http://127.0.0.1:8080/my-org                organization  http://127.0.0.1:8080/api/v3        /orgs/my-org
  http://github.localhost:8080/org            organization  http://github.localhost:8080/api/v3 /orgs/org
  https://notghe.com/org                      organization  https://notghe.com/api/v3           /orgs/org
  https://notgithub.com/org                   organization  https://notgithub.com/api/v3        /orgs/org
`

test.each(rows(valid))('case 1: %s', (text, scope, api, scopePath) => {
  const url = parseConfigUrl(text)
  expect([url.scope, `${url.apiOrigin}${url.apiPath}`, url.scopePath]).toEqual([scope, api, scopePath])
  expect(url.url).not.toMatch(/\/$/)
})

test('case 1: a forced server has its API below /api/v3', () => {
  const url = parseConfigUrl('https://github.com/org', { forceServer: true })
  expect([url.hosted, url.apiOrigin, url.apiPath]).toEqual([false, 'https://github.com', '/api/v3'])
})

test.each([
  'https://github.com',
  'https://github.com/',
  'https://github.com/a/b/c',
  'https://github.com/a//b',
  'github.com/org',
  'org/repo',
  'ftp://github.com/org',
  'https://',
  '////',
  '',
  'https://github.com/org?x=1',
  'https://github.com/org#top',
])('case 2: refuses %s before any request', (url) => {
  const { options, github } = createBench()
  const refused = () => createGitHubForge({ ...options, url })
  expect(refused).toThrow(expect.objectContaining({ port: 'github', kind: 'bad-config', reason: 'bad-url' }))
  expect(github.requests).toEqual([])
})

test('case 2: refuses a password in the URL without repeating it', () => {
  const refused = catching(() => parseConfigUrl('https://bob:hunter2@github.com/org'))
  expect(refused).toBeInstanceOf(PortError)
  expect(String(refused)).not.toContain('hunter2')
})

function rows(table: string): [string, string, string, string][] {
  const lines = table.trim().split('\n')
  return lines.map((line) => line.trim().split(/\s+/) as [string, string, string, string])
}

function catching(run: () => unknown): unknown {
  try {
    return run()
  } catch (error) {
    return error
  }
}

import type { ForgeKind } from '@dayfly/runner-set/model/runner-set'
import { expect, test } from 'vitest'
import { jobShown } from './job-shown.ts'

function urlOf(forge: ForgeKind, url: string, repository = 'acme/app', run = '7'): string | null {
  const facts = { id: 'ci/linux', url, forge, paused: false, requests: null, objectiveMs: null, priceLabel: null }
  return jobShown({ id: '1', name: 'build', repository, origin: { run } }, facts).url
}

const page = 'https://forge.example/acme/app/actions/runs/7'

test.each<[string, ForgeKind, string, string | null]>([
  ['an organization at GitHub', 'github', 'https://forge.example/acme', page],
  ['an enterprise at GitHub', 'github', 'https://forge.example/enterprises/big', page],
  ['an organization at Gitea', 'gitea', 'https://forge.example/acme', page],
  ['a repository at Gitea', 'gitea', 'https://forge.example/Acme/app', page],
  ['a whole Gitea', 'gitea', 'https://forge.example', page],
  ['a Gitea below a path', 'gitea', 'https://forge.example/git/acme', page.replace('/acme', '/git/acme')],
  ['a whole Gitea below a path', 'gitea', 'https://forge.example/git', page.replace('/acme', '/git/acme')],
  ['Bitbucket, which names no run', 'bitbucket', 'https://forge.example/acme', null],
  ['another scheme', 'gitea', 'file:///acme', null],
])('the run of a job has its address: %s', (_, forge, url, shown) => {
  expect(urlOf(forge, url)).toBe(shown)
})

test('a repository or a run of another form has none', () => {
  expect(urlOf('gitea', 'https://forge.example', '../app')).toBeNull()
  expect(urlOf('gitea', 'https://forge.example', 'acme/app', '7?x')).toBeNull()
})

// The GitHub account that an operator names with --github-url.
import { createGitHubAccount } from '../github/account.ts'
import type { AccountOptions } from './account-options.ts'
import { readToken } from './token-access.ts'

const flag = '--github-token-file'

export const githubOptions: AccountOptions = {
  account: 'githubUrl',
  value: '<url>',
  place: 'this organization, repository or enterprise at GitHub',
  example: 'https://github.com/acme',
  advice: 'Give the URL as a browser shows it, such as https://github.com/acme.',
  file: { flag, key: 'githubTokenFile', holds: 'the token for --github-url; default: $GITHUB_TOKEN' },
  urlOf: (given) => given,
  read: async (file, environment) => {
    const token = await readToken({ forge: 'github', flag, variable: 'GITHUB_TOKEN' }, file, environment)
    return (access) => createGitHubAccount({ ...access, credential: { kind: 'token', token } })
  },
}

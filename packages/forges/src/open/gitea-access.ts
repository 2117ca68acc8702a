// The account at a Gitea or Forgejo that an operator names with --gitea-url.
import { createGiteaAccount } from '../gitea/account.ts'
import type { AccountOptions } from './account-options.ts'
import { readToken } from './token-access.ts'

const flag = '--gitea-token-file'

export const giteaOptions: AccountOptions = {
  account: 'giteaUrl',
  value: '<url>',
  place: 'this server, organization, user or repository at Gitea or Forgejo',
  example: 'https://gitea.example.com/acme',
  advice: 'Give the URL as a browser shows it, such as https://gitea.example.com/acme.',
  file: { flag, key: 'giteaTokenFile', holds: 'the token for --gitea-url; default: $GITEA_TOKEN' },
  urlOf: (given) => given,
  read: async (file, environment) => {
    const token = await readToken({ forge: 'gitea', flag, variable: 'GITEA_TOKEN' }, file, environment)
    return (access) => createGiteaAccount({ ...access, token })
  },
}

// Plays the recorded steps on a real Gitea and compares the answers with the recorded ones. `vitest -u` records them again.

import { play, type Stage } from '@dayfly/forge-emulators/gitea/recorded/play.fixture'
import { type Act, callers, repositories } from '@dayfly/forge-emulators/gitea/recorded/step.fixture'
import { answersFile, steps } from '@dayfly/forge-emulators/gitea/recorded/steps.fixture'
import { httpClient } from '@dayfly/kit/http-client'
import { systemClock } from '@dayfly/kit/system'
import { expect, test } from 'vitest'
import { type Gitea, openGitea } from './open-gitea.ts'

type Tokens = Stage['tokens']

/** Creates the users, the organization and its repositories. Resolves with the tokens. */
async function prepare(gitea: Gitea): Promise<Tokens> {
  const { must } = gitea.admin
  const users = new Set(Object.values(callers).map(({ user }) => user))
  for (const user of users) if (user !== gitea.server.admin.name) await gitea.createUser(user)
  await must('POST', '/admin/users/boss/orgs', { username: 'acme' })
  for (const name of repositories) {
    await must('POST', '/orgs/acme/repos', { name, auto_init: true, default_branch: 'main', private: true })
  }
  await must('PUT', '/repos/acme/app/collaborators/bob', { permission: 'admin' })
  const units = { 'repo.code': 'read', 'repo.actions': 'read' }
  const team = {
    name: 'readers',
    permission: 'read',
    units: Object.keys(units),
    units_map: units,
    includes_all_repositories: true,
  }
  const { id } = (await must('POST', '/orgs/acme/teams', team)) as { readonly id: number }
  await must('PUT', `/teams/${id}/members/ann`)
  const tokens: Record<string, string> = {}
  for (const [caller, { user, scopes }] of Object.entries(callers))
    tokens[caller] = await gitea.createToken(user, ...scopes)
  return tokens as Tokens
}

function actOn(gitea: Gitea): (act: Act) => Promise<void> {
  const { must } = gitea.admin
  return async (act) => {
    switch (act.is) {
      case 'cancel-run':
        return await gitea.cancelRun(`/repos/${act.repository}` as `/repos/${string}/${string}`, Number(act.run))
      case 'reset-registration-token':
        return await gitea.resetRegistrationToken(`/repos/${act.repository}` as `/repos/${string}/${string}`)
      case 'rename':
        return void (await must('PATCH', `/repos/${act.repository}`, { name: act.to }))
      case 'archive':
        return void (await must('PATCH', `/repos/${act.repository}`, { archived: true }))
      case 'disable-actions':
        return void (await must('PATCH', `/repos/${act.repository}`, { has_actions: false }))
      case 'revoke':
        return await gitea.revokeTokens(callers[act.caller].user)
    }
  }
}

test('the recorded answers match those of a real Gitea', async () => {
  const gitea = await openGitea()
  const client = httpClient({ origin: gitea.url })
  try {
    const tokens = await prepare(gitea)
    const act = actOn(gitea)
    const { transport } = client
    const played = await play(steps, { transport, origin: gitea.url, clock: systemClock(), tokens, act })
    const lines = played.map((each) => JSON.stringify(each))
    await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot(answersFile.pathname)
  } finally {
    await client.close()
    await gitea.close()
  }
})

// Holds the emulator against a real Gitea 1.26.0: the same sequence of calls, and its recorded answers. test/gitea/recorded.test.ts records them.
import type { Transport } from '@dayfly/kit/http'
import { seededRandom } from '@dayfly/kit/random'
import { textAt } from '@dayfly/kit/read-json'
import { virtualClock } from '@dayfly/kit/virtual-clock'
import { expect, it } from 'vitest'
import type { EmulatedCredential } from './credentials.ts'
import { createGiteaEmulator, type GiteaEmulator } from './emulator.ts'
import { play } from './recorded/play.fixture.ts'
import { type Act, callers } from './recorded/step.fixture.ts'
import { readAnswers, steps } from './recorded/steps.fixture.ts'

/** The steps whose answers differ, and why no client minds. A step that no longer differs must leave the list. */
const differences: Readonly<Record<string, readonly string[]>> = {
  'the actor is the owner of the repository, because the emulator has no pushes of users': [
    'FetchTask: the task',
    'FetchTask: the task with needs',
    'FetchTask: a job of the organization',
    'FetchTask: a job whose runner is deleted',
    'FetchTask: the first of the group',
    'FetchTask: a job without labels',
    'FetchTask: a job of an archived repository',
  ],
  'the steps of a cancelled task have no times': [
    'the jobs of the cancelled run',
    'cancelled jobs by the word timed_out',
    'a cancelled job',
    'the third of the group cancels the second',
    'the jobs of a repository without actions',
  ],
  'a sentence or a page has other words': [
    'a message that is no JSON',
    'the log of a job without a row',
    'the old path: GET',
  ],
  'a run has fewer members': ['rerun: the run'],
}

const names = Object.keys(callers) as (keyof typeof callers)[]
const tokens = Object.fromEntries(names.map((name, index) => [name, String(index).padStart(40, 'a')])) as Readonly<
  Record<keyof typeof callers, string>
>
const roles: Readonly<Record<string, EmulatedCredential['roles']>> = {
  boss: { acme: 'owner' },
  ann: { acme: 'member' },
  bob: { 'acme/app': 'member' },
  zed: {},
}

it('answers as the real server does', async () => {
  const clock = virtualClock()
  const emulator = createGiteaEmulator({
    ...{ clock, random: seededRandom(1) },
    owners: [{ name: 'acme', kind: 'organization', repositories: ['app', 'site', 'old'] }],
    credentials: names.map((name) => {
      const { user, scopes } = callers[name]
      return { token: tokens[name], user, scopes, isSiteAdmin: user === 'root1', roles: roles[user] }
    }),
  })
  const { transport } = emulator
  const stage = { transport, origin: 'http://127.0.0.1', clock: { ...clock, sleep: clock.advance }, tokens }
  const played = await play(steps, { ...stage, act: (act) => perform(act, emulator) })
  const recorded = new Map(readAnswers().map(({ title, answer }) => [title, answer]))
  const others = played.flatMap(({ title, answer }) =>
    JSON.stringify(answer) === JSON.stringify(recorded.get(title)) ? [] : [title],
  )
  expect(others.sort()).toEqual(Object.values(differences).flat().sort())
  expect(played.length).toBe(recorded.size)
})

async function perform(act: Act, { control, transport }: GiteaEmulator): Promise<void> {
  switch (act.is) {
    case 'cancel-run':
      control.cancelJob(await firstJob(transport, act))
      break
    case 'reset-registration-token':
      control.resetRegistrationToken(act.repository)
      break
    case 'rename':
      control.renameRepository(act.repository, act.to)
      break
    case 'archive':
      control.archive(act.repository)
      break
    case 'disable-actions':
      control.disableActions(act.repository)
      break
    case 'revoke':
      control.revoke(tokens[act.caller])
      break
  }
}

/** The control cancels the run of a job. */
async function firstJob(
  transport: Transport,
  { repository, run }: Extract<Act, { is: 'cancel-run' }>,
): Promise<string> {
  const path = `/api/v1/repos/${repository}/actions/runs/${run}/jobs`
  const headers = { authorization: `token ${tokens.admin}` }
  const { body } = await transport({ method: 'GET', path, query: {}, headers, body: { kind: 'none' }, expect: 'whole' })
  const value = body.kind === 'json' ? body.value : undefined
  return (
    textAt(
      JSON.parse(JSON.stringify(value), (key, part) => (key === 'id' ? String(part) : part)),
      'jobs',
      '0',
      'id',
    ) ?? ''
  )
}

// The steps about rights, registration and runners.
import type { Caller, Step } from './step.fixture.ts'

const app = '/repos/acme/app/actions'

const refusals: readonly (readonly [Caller, `GET /${string}` | `POST /${string}` | `DELETE /${string}`])[] = [
  ['nobody', 'GET /admin/actions/jobs'],
  ['wrongToken', 'GET /version'],
  ['siteWriter', `GET ${app}/jobs`],
  ['siteWriter', 'GET /admin/actions/jobs'],
  ['siteReader', 'GET /admin/actions/runners'],
  ['siteReader', 'POST /admin/actions/runners/registration-token'],
  ['bossReader', `GET ${app}/runners`],
  ['bossReader', `POST ${app}/runners/registration-token`],
  ['bossReader', `DELETE ${app}/runners/1`],
  ['bossReader', 'GET /user/actions/runners'],
  ['boss', 'GET /admin/actions/jobs'],
  ['boss', 'GET /orgs/acme/actions/jobs'],
  ['member', 'GET /orgs/acme/actions/jobs'],
  ['member', 'GET /orgs/acme/actions/runners'],
  ['member', `GET ${app}/jobs`],
  ['member', `GET ${app}/runners`],
  ['collaborator', `GET ${app}/jobs`],
  ['collaborator', `GET ${app}/runners`],
  ['collaborator', 'GET /repos/acme/site/actions/jobs'],
  ['stranger', `GET ${app}/jobs`],
  ['stranger', 'GET /orgs/acme/actions/jobs'],
  ['stranger', 'GET /admin/actions/jobs'],
  ['stranger', 'GET /user/actions/jobs'],
  ['admin', 'GET /orgs/nobody/actions/jobs'],
  ['admin', 'GET /repos/nobody/app/actions/jobs'],
  ['admin', 'GET /repos/acme/nothing/actions/jobs'],
  ['admin', 'GET /nothing'],
]

const unknownRunner = { do: 'rpc', message: {} } as const

export const runnerSteps: readonly Step[] = [
  { do: 'rest', title: 'the version', as: 'nobody', call: 'GET /version' },
  ...refusals.map(([as, call]): Step => ({ do: 'rest', title: `rights: ${as}: ${call}`, as, call })),

  // The registration token belongs to a level, and stays the same.
  ...(['/admin', '/orgs/acme', '/user', '/repos/acme/app'] as const).map((level): Step => {
    const as = level === '/admin' ? 'admin' : 'boss'
    const keep = { [`token of ${level}`]: 'token' }
    return {
      do: 'rest',
      title: `a registration token of ${level}`,
      as,
      call: `POST ${level}/actions/runners/registration-token`,
      keep,
    }
  }),
  { do: 'rest', title: 'the same registration token again', call: `POST ${app}/runners/registration-token` },
  { do: 'rest', title: 'a registration token by GET', call: `GET ${app}/runners/registration-token` },

  { do: 'rpc', title: 'register: no name', method: 'Register', message: { token: '$token of /repos/acme/app' } },
  { do: 'rpc', title: 'register: no token', method: 'Register', message: { name: 'r' } },
  { do: 'rpc', title: 'register: a wrong token', method: 'Register', message: { name: 'r', token: 'wrong' } },
  register('one', '/repos/acme/app', { labels: ['a', 'linux'] }),
  register('other', '/repos/acme/app', { labels: ['none'] }),
  register('of the organization', '/orgs/acme', { labels: ['none'] }),
  register('of the user', '/user', {}),
  register('of the site', '/admin', { ephemeral: false }),
  {
    do: 'rpc',
    title: 'register: a name that another runner has',
    method: 'Register',
    message: { name: 'one', token: '$token of /repos/acme/app', ephemeral: true, unknown: 1 },
    keep: { 'second one.id': 'runner.id' },
  },
  {
    do: 'rpc',
    title: 'register: a label with a scheme stays as it is',
    method: 'Register',
    message: { name: 'docker', token: '$token of /repos/acme/app', labels: ['x:docker://y:1'] },
    keep: { 'docker.id': 'runner.id' },
  },
  {
    do: 'rpc',
    title: 'register: a name of 300 characters',
    method: 'Register',
    message: { name: 'x'.repeat(300), token: '$token of /repos/acme/app' },
    keep: { 'long.id': 'runner.id' },
  },

  {
    do: 'act',
    title: 'the registration token is reset',
    act: { is: 'reset-registration-token', repository: 'acme/app' },
  },
  {
    do: 'rpc',
    title: 'register: an invalidated token',
    method: 'Register',
    message: { name: 'r', token: '$token of /repos/acme/app' },
  },
  {
    do: 'rest',
    title: 'a new registration token',
    call: `POST ${app}/runners/registration-token`,
    keep: { 'new token': 'token' },
  },

  { do: 'rest', title: 'a fresh runner', call: `GET ${app}/runners/$one.id` },
  { do: 'rest', title: 'a runner of another level', call: `GET ${app}/runners/$of the site.id` },
  {
    do: 'rest',
    title: 'a runner of another level, for the administrator',
    as: 'admin',
    call: 'GET /admin/actions/runners/$one.id',
  },
  { do: 'rest', title: 'a runner that does not exist', call: `GET ${app}/runners/99` },
  { do: 'rest', title: 'a runner whose id is no number', call: `GET ${app}/runners/x` },
  { do: 'rest', title: 'another method', call: `PUT ${app}/runners/$one.id`, body: {} },
  { do: 'rest', title: 'the runners of the organization', call: 'GET /orgs/acme/actions/runners' },
  { do: 'rest', title: 'the runners of the user', call: 'GET /user/actions/runners' },

  { do: 'rest', title: 'cordon: no field', call: `PATCH ${app}/runners/$one.id`, body: {} },
  { do: 'rest', title: 'cordon: no body', call: `PATCH ${app}/runners/$one.id` },
  { do: 'rest', title: 'cordon', call: `PATCH ${app}/runners/$other.id`, body: { disabled: true } },
  { do: 'rest', title: 'the disabled runners', call: `GET ${app}/runners?disabled=true` },
  { do: 'rest', title: 'uncordon', call: `PATCH ${app}/runners/$other.id`, body: { disabled: false } },
  { do: 'rest', title: 'no disabled runner', call: `GET ${app}/runners?disabled=true&limit=1` },
  {
    do: 'rest',
    title: 'cordon: a runner of another level',
    call: `PATCH ${app}/runners/$of the site.id`,
    body: { disabled: true },
  },

  { do: 'rest', title: 'delete: a runner of another level', call: `DELETE ${app}/runners/$of the site.id` },
  { do: 'rest', title: 'delete: the second runner with the name', call: `DELETE ${app}/runners/$second one.id` },
  { do: 'rest', title: 'delete: the same again', call: `DELETE ${app}/runners/$second one.id` },
  { do: 'rest', title: 'delete: as the administrator', as: 'admin', call: 'DELETE /admin/actions/runners/$docker.id' },
  { do: 'rest', title: 'delete: the long name', call: `DELETE ${app}/runners/$long.id` },
  { do: 'rest', title: 'delete: a runner of the user', call: 'DELETE /user/actions/runners/$of the user.id' },

  ...['Declare', 'FetchTask', 'UpdateTask', 'UpdateLog'].map(
    (method): Step => ({ ...unknownRunner, title: `${method}: no credential`, method }),
  ),
  { ...unknownRunner, title: 'FetchTask: a deleted runner', method: 'FetchTask', runner: 'of the user' },
  { ...unknownRunner, title: 'a method that does not exist', method: 'Nothing', runner: 'one' },
  { do: 'raw', title: 'a message that is no JSON', method: 'FetchTask', type: 'application/json', text: '{' },
  { do: 'raw', title: 'a message of another type', method: 'FetchTask', type: 'text/plain', text: '{}' },
  {
    do: 'raw',
    title: 'a message with the type of a stream',
    method: 'FetchTask',
    type: 'application/connect+json',
    text: '{}',
  },

  {
    do: 'rpc',
    title: 'Declare replaces the labels',
    method: 'Declare',
    runner: 'one',
    message: { version: 'v9', labels: ['a', 'b'] },
  },
  { do: 'rest', title: 'a declared runner is online', call: `GET ${app}/runners/$one.id` },
  { do: 'rpc', title: 'FetchTask: no job', method: 'FetchTask', runner: 'one', message: { tasksVersion: '0' } },
  { do: 'rest', title: 'the runners of the repository, page 9', call: `GET ${app}/runners?page=9&limit=50` },
]

function register(name: string, level: string, more: object): Step {
  const message = { name, token: `$token of ${level}`, version: 'v1', ephemeral: true, ...more }
  const keep = { [`${name}.id`]: 'runner.id', [`${name}.uuid`]: 'runner.uuid', [`${name}.token`]: 'runner.token' }
  return { do: 'rpc', title: `register: ${name}`, method: 'Register', message, keep }
}

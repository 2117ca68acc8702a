import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { find } from './find.ts'
import { about, ci, goodLife, minute, namedJob, opened, second, start } from './history.fixture.ts'

const now = start + 10 * minute

/** A job that waits, one that runs, one that failed, a lost one, and two runners without a job. */
function world() {
  const { history, at } = opened()
  const started = (runner: string, id: string) =>
    ({
      kind: 'job-started',
      ...about(runner),
      job: { ...namedJob(id), name: 'Test (node 22)' },
      queuedMs: 1_000,
    }) as const
  for (const entry of goodLife('linux-done', 0, namedJob('done', 'octo/api'))) history.take(entry)
  at(60, { kind: 'pod-created', ...about('linux-busy'), uid: 'u' }, started('linux-busy', 'running'))
  at(70, { kind: 'pod-created', ...about('linux-lost'), uid: 'u' }, started('linux-lost', 'lost'))
  at(80, { kind: 'runner-failed', ...about('linux-lost'), failure: { reason: 'pod-vanished', message: 'x' } })
  at(80, { kind: 'runner-gone', ...about('linux-lost'), because: 'removed' })
  at(90, { kind: 'pod-created', ...about('linux-new'), uid: 'u' })
  at(420, {
    kind: 'job-waits',
    ...ci,
    job: { ...namedJob('waits', 'octo/docs'), origin: { run: '99', ref: 'feature/x' } },
    queuedAt: start + 420 * second,
  })
  const why = () => 'The maximum of the set is reached.'
  const sentence = 'Job arm of octo/lab waits for runs-on: arm64. No RunnerSet of this account has all of these labels.'
  const unserved = [{ id: '77', name: 'arm', repository: 'octo/lab', sentence }]
  return (text: string) =>
    find(text, { lives: history.lives(), jobs: history.jobs(), now, since: history.since(), why, unserved })
}

describe('a job', () => {
  it.each<[string, string, readonly string[], string]>([
    ['the address of a run', 'https://github.com/octo/docs/actions/runs/99', ['waits'], 'the run 99 of octo/docs'],
    [
      'an address with more',
      ' https://ghe.example.com/Octo/docs/actions/runs/99/attempts/2?pr=3#x ',
      ['waits'],
      'the run 99 of Octo/docs',
    ],
    [
      'the address of a job',
      'https://github.com/octo/docs/actions/runs/99/job/456?pr=7',
      ['waits'],
      'the run 99 of octo/docs, because',
    ],
    [
      'the address of a job at Gitea',
      'https://forge.example.com/git/octo/lab/actions/runs/5/jobs/77',
      ['77'],
      'the job with the id 77',
    ],
    ['the number of a run', '99', ['waits'], 'the run 99'],
    ['the address of a repository', 'https://github.com/octo/docs/pull/12', ['waits'], 'the repository octo/docs'],
    [
      'a step at Bitbucket',
      'https://bitbucket.org/octo/docs/pipelines/results/7/steps/%7BWAITS%7D',
      ['waits'],
      'the job with the id WAITS',
    ],
    [
      'an address of this page',
      'https://dayfly.example.com/#/job/octo%2Fdocs/waits',
      ['waits'],
      'the job with the id waits',
    ],
    ['an id', 'running', ['running'], 'the job with the id running'],
    ['a runner', 'linux-busy', ['running'], 'the runner linux-busy'],
    ['a runner with its namespace', 'ci/linux-busy', ['running'], 'the runner ci/linux-busy'],
    ['a name, the newest first', 'Test (node 22)', ['lost', 'running'], 'the name of a job'],
    ['a part of a name', 'NODE 22', ['lost', 'running'], 'a part of the name of a job'],
    ['a repository', 'Octo/API', ['done'], 'the repository Octo/API'],
    ['a branch', 'feature/x', ['waits'], 'the branch or tag feature/x'],
    ['a branch with many jobs', 'main', ['lost', 'done', 'running'], 'the branch or tag main'],
  ])('is found by %s', (_what, text, ids, read) => {
    const found = world()(text)
    expect(found.jobs.map(({ job }) => job.id)).toEqual(ids)
    expect(found.read).toContain(`It was read as ${read}`)
    expect(found.next).toBeNull()
  })

  it.each([
    ['waits', 'waiting', 'It waits for 3 min in the set ci/linux: The maximum of the set is reached.'],
    [
      '77',
      'waiting',
      'Job arm of octo/lab waits for runs-on: arm64. No RunnerSet of this account has all of these labels.',
    ],
    ['running', 'running', 'It runs for 9 min on the runner linux-busy of the set ci/linux.'],
    [
      'done',
      'ended',
      'It ended 8 min ago: succeeded. The runner linux-done of the set ci/linux ended with exit code 0.',
    ],
    [
      'lost',
      'ended',
      'It ended 8 min ago; only the forge knows its result. The runner linux-lost of the set ci/linux is gone. Another client, or the deletion of the namespace, deleted the pod before the runner ended.',
    ],
  ])('is answered in one line: %s', (id, is, sentence) => {
    expect(world()(id).jobs).toMatchObject([
      { is, sentence, address: expect.stringMatching(/^#\/job\/octo%2F\w+\/\w+$/) },
    ])
  })
})

it.each([
  ['nothing', '', 'The text is empty.', 'Enter the address of a run'],
  [
    'an unknown run',
    'https://github.com/octo/web/actions/runs/1',
    'the run 1 of octo/web.',
    'The history begins at 2026-01-01T00:00:00Z. A job whose labels no set has may not reach Dayfly',
  ],
  ['an unknown text', 'nope', 'the job with the id nope, or for any other way to read it.', 'may not reach Dayfly'],
  ['a pipeline', 'https://bitbucket.org/octo/web/pipelines/results/7', 'this address.', 'Open the step at Bitbucket'],
  [
    'a runner without a job',
    'linux-new',
    'the runner linux-new.',
    'No job of the runner linux-new of the set ci/linux is known: it starts.',
  ],
])('says what to do if the text is %s', (_what, text, read, next) => {
  const found = world()(text)
  expect([found.jobs, found.read, found.next]).toEqual([
    [],
    expect.stringContaining(read),
    expect.stringContaining(next),
  ])
})

it('bounds the answer to any text', () => {
  const search = world()
  const anyCharacter = fc.integer({ min: 0, max: 0x2fff }).map((code) => String.fromCodePoint(code))
  const text = fc.oneof(
    fc.string({ unit: anyCharacter, maxLength: 1_500 }),
    fc.webUrl(),
    fc.constantFrom('%', '/'.repeat(9_999), 'https://github.com/a/b/actions/runs/'),
  )
  fc.assert(
    fc.property(text, (hostile) => {
      const { query, read, jobs } = search(hostile)
      expect(query.length).toBeLessThanOrEqual(500)
      expect(read.length).toBeLessThanOrEqual(700)
      expect(jobs.length).toBeLessThanOrEqual(50)
      expect(`${query}${read}`).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/)
    }),
    { numRuns: 40 },
  )
})

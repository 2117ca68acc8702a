import { describe, expect, test } from 'vitest'
import { checkActions } from './tidy/act.ts'
import { readSource } from './tidy/source.ts'

const check = (text: string, path = 'packages/controller/src/act/end-runner.ts') =>
  checkActions([readSource(path, text)])

describe('names in an action', () => {
  test.each([
    ['const at = clock.now()'],
    ['function run({ clock }: Context) {}'],
    ['timers.after(5, run)'],
    ['await wait.sleep(5)'],
    ['const ms = backoffMs(policy, 1, random)'],
    ['context.cache.forget(name)'],
  ])('%s is a finding', (text) => {
    expect(check(`const before = 1\n${text}\n`)).toContainEqual(expect.objectContaining({ rule: 'act', line: 2 }))
  })

  test.each([['// The clock is not here.'], ["const a = 'clock.now()'"], ['const cached = afterwards(sleepy)']])(
    '%s is free',
    (text) => {
      expect(check(`${text}\n`)).toEqual([])
    },
  )
})

describe('conditions of an action', () => {
  test.each([
    ["if (runner.pod.is === 'present') go()"],
    ['if (!runner.registration) go()'],
    ['if (action.runner.job) go()'],
    ['if (\n  a(b) &&\n  runner.job\n) go()'],
    ['while (runner?.pod) go()'],
    ['switch (runner.pod.is) {}'],
    ['switch (pod.phase) {}'],
    ['const a = runner.pod ? b : c'],
    ['return pod.startedAt ? b : c'],
    ['go(runner.job ? b : c)'],
    ['const idle = pod.startedAt === undefined'],
    ["const idle = done || registration.is !== 'present'"],
    ['const a = !runner.job'],
    ['runner.job && go()'],
    ['const a = runner.job ?? b'],
    ['const a = pod.exitCode > 0'],
  ])('%s is a finding', (text) => {
    expect(check(`${text}\n`)).toHaveLength(1)
  })

  test.each([
    ["if (outcome.is === 'limited') go()"],
    ['if (outcome) create(runner.pod)'],
    ["const outcome = deleted ? { pod: runner.pod.uid } : { is: 'failed' }"],
    ['const a = deleted\n  ? runner.pod\n  : runner.registration'],
    ['const { pod, registration } = runner'],
    ['type A = { readonly pod?: string; readonly job?: string }'],
    ['await kubernetes.delete(pods, at, { uid: action.pod.uid })'],
    ['for (const pod of podsOf(runner.pod)) go(pod)'],
    ['const a = first(runner.pod), b = c ? d : e'],
    ['if (error instanceof KubernetesError) fail(runner.job)'],
    ["if (action.kind === 'a') go()"],
    ['const listed = all.some((registration) => registration.id === id && registration.name === name)'],
  ])('%s is free', (text) => {
    expect(check(`${text}\n`)).toEqual([])
  })

  test('reports a line once', () => {
    expect(check('if (runner.pod && runner.job) go()\n')).toHaveLength(1)
  })
})

test.each([
  ['packages/controller/src/act/end-runner.test.ts'],
  ['packages/controller/src/act/a.fixture.ts'],
  ['packages/controller/src/loop.ts'],
])('does not check %s', (path) => {
  expect(check('if (runner.pod) clock.now()\n', path)).toEqual([])
})

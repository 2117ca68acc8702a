import { expect, test } from 'vitest'
import { clean, useWorld } from '../use-world.ts'

const demo = useWorld()

function pipeline(...lines: readonly string[]): string {
  return demo.write('bitbucket-pipelines.yml', ['pipelines:', '  default:', ...lines, ''].join('\n'))
}

// A first step of some seconds leaves a busy machine the time to cordon its runner. A shorter one could be followed by a late step.
test('each step runs on a runner of its own, and nothing is left', { timeout: 60_000 }, async () => {
  const file = pipeline(
    '    - step: { name: build, script: [sleep 4, echo built] }',
    '    - parallel:',
    '        - step: { name: left, script: [sleep 1, echo left] }',
    '        - step: { name: right, runs-on: [self.hosted, my.own.label], script: [sleep 1, echo right] }',
    '        - step: { name: arm, runs-on: linux.arm64, script: [sleep 1, echo arm] }',
    '        - step: { name: sized, size: 2x, runs-on: [gpu], script: [sleep 1, echo sized] }',
  )
  const cli = demo.world.start('demo', '--forge', 'bitbucket', file, '--json')
  expect(await cli.ended, cli.stderr()).toMatchObject({ code: 0 })
  const report = JSON.parse(cli.stdout())
  expect(report).toMatchObject({
    jobs: 5,
    succeeded: 5,
    lateSteps: 0,
    leftovers: clean,
    runs: [
      {
        conclusion: 'success',
        jobs: ['build', 'left', 'right', 'arm', 'sized'].map((name) => ({ name, conclusion: 'success' })),
      },
    ],
  })
  expect(report.runners).toBeGreaterThanOrEqual(6 + 5)
  expect(report.apiCalls).toBeLessThan(200)
  expect([demo.world.files(), demo.world.processes()]).toEqual([[], []])
})

test('a failed step shows its log, stops the later ones, and ends the demo with 1', async () => {
  const file = pipeline(
    '    - step: { name: bad, script: [echo why, exit 3] }',
    '    - step: { name: never, script: [echo never] }',
  )
  const cli = demo.world.start('demo', '--forge', 'bitbucket', file, '--exit', '--json')
  expect(await cli.ended).toMatchObject({ code: 1 })
  expect(JSON.parse(cli.stdout())).toMatchObject({
    jobs: 2,
    failed: 1,
    skipped: 1,
    leftovers: clean,
    runs: [{ conclusion: 'failure', jobs: [{ conclusion: 'failure' }, { conclusion: 'skipped' }] }],
  })
  expect(cli.stderr()).toMatch(/✗ #1 .*\.yml \/ bad: failed/)
  expect(cli.stderr()).toMatch(/^ {4}\| .*why$/m)
}, 60_000)

test('a file with a key that the demo does not know is refused with its place, before anything starts', async () => {
  const file = pipeline('    - step: { name: a, services: [docker], script: [true] }')
  const cli = demo.world.start('demo', '--forge', 'bitbucket', file)
  expect(await cli.ended).toMatchObject({ code: 2 })
  expect(cli.stderr()).toContain('services')
  expect(cli.stderr()).toContain('bitbucket-pipelines.yml:3:')
})

test('an unknown forge is refused', async () => {
  const cli = demo.world.start('demo', '--forge', 'gitlab')
  expect(await cli.ended).toMatchObject({ code: 2 })
  expect(cli.stderr()).toContain('--forge')
})

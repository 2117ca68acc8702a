import { cpSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { clean, useWorld } from '../use-world.ts'

const demo = useWorld()

function workflow(name: string, jobs: string): string {
  return demo.write(name, `name: ${name}\non: push\njobs:\n${jobs}`)
}

const job = (key: string, run: string, more = '') =>
  `  ${key}:\n    runs-on: ubuntu-latest\n${more}    steps:\n      - run: ${run}\n`

describe('the demo', { timeout: 60_000 }, () => {
  test('runs the examples many times and leaves nothing behind', async () => {
    const cli = demo.world.start('demo', '--jobs', '12', '--max', '5', '--exit', '--json')
    await cli.ended
    const report = JSON.parse(cli.stdout())
    expect(report).toMatchObject({ jobs: 12, ranTwice: 0, leftovers: clean })
    expect(report.succeeded + report.failed + report.skipped).toBe(12)
    expect(report.failed).toBeGreaterThan(0)
    expect(report.runners).toBeLessThanOrEqual(14)
    // Each runner needs four writes. The others update the status, at most once a second, and the lease.
    const rest = (report.apiWritesPerRunner - 4) * report.runners
    expect(rest).toBeLessThanOrEqual(10 + (1.5 * report.wallMs) / 1_000)
    expect(cli.stderr()).not.toMatch(/Warning|warning/)
    expect(report.peakRssBytes).toBeLessThan(250 * 2 ** 20)
    expect(report.queuedToFirstStepMs.p50).toBeGreaterThan(0)
    expect([demo.world.files(), demo.world.processes()]).toEqual([[], []])
    expect(cli.stdout().trim().split('\n')).toHaveLength(1)
  })

  test('needs only the published files, and leaves no process of a step behind, even one with its own session and an empty environment', async () => {
    const folder = path.join(demo.own, 'package')
    const { files } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly files: readonly string[] }
    const published = files.filter((name) => !name.startsWith('!'))
    for (const name of ['package.json', ...published]) cpSync(name, path.join(folder, name), { recursive: true })
    const file = workflow('detached.yml', job('a', 'setsid env -i sleep 300 & echo left it'))
    const cli = demo.world.startFrom(path.join(folder, 'packages/dayfly/dist/dayfly.js'), 'demo', file, '--json')
    expect(await cli.ended, cli.stderr()).toMatchObject({ code: 0 })
    expect(JSON.parse(cli.stdout())).toMatchObject({ jobs: 1, succeeded: 1, leftovers: clean })
    expect([demo.world.files(), demo.world.processes()]).toEqual([[], []])
  })

  test('exits with 1 if a job failed, shows its log or GitHub’s words, skips the jobs that need it, and never counts more done than there are', async () => {
    const list = (value: string) =>
      `  plan:\n    runs-on: x\n    outputs: {x: "\${{ steps.s.outputs.x }}"}\n    steps: [{id: s, run: 'echo "x=${value}" >> "$GITHUB_OUTPUT"'}]\n` +
      '  each:\n    needs: plan\n    runs-on: x\n    strategy: {matrix: {x: "${{ fromJSON(needs.plan.outputs.x) }}"}}\n    steps: [{run: exit 0}]\n'
    const files = [
      workflow('empty.yml', list('[]')),
      workflow('text.yml', list('not json')),
      workflow('four.yml', list('[1,2,3,4]')),
      workflow(
        'unknown.yml',
        `${job('a', 'true')}  each:\n    runs-on: \${{ fromJSON(vars.NONE) }}\n    steps: [{run: 'true'}]\n  last:\n    needs: each\n    runs-on: x\n    steps: [{run: 'true'}]\n`,
      ),
      workflow('bad.yml', job('a', 'echo why && exit 3') + job('b', 'echo never', '    needs: a\n')),
    ]
    const cli = demo.world.start('demo', ...files, '--json')
    expect(await cli.ended).toMatchObject({ code: 1 })
    const report = JSON.parse(cli.stdout())
    expect(report).toMatchObject({ jobs: 14, succeeded: 8, failed: 4, skipped: 2 })
    const each = report.runs.map(({ jobs }: { jobs: { name: string; note: string | null }[] }) => jobs[1])
    expect(each).toMatchObject([
      {
        conclusion: 'failure',
        note: expect.stringMatching(
          /^Error when evaluating 'strategy' for job 'each'\. .*'x' does not contain any values/,
        ),
      },
      { conclusion: 'failure', note: expect.stringContaining('Error parsing JSON') },
      { conclusion: 'success', note: null },
      { conclusion: 'failure', note: expect.stringMatching(/'runs-on' for job 'each'\. .*unknown\.yml: /) },
      { conclusion: 'skipped' },
    ])
    expect(report.runs[4]).toMatchObject({ conclusion: 'failure', jobs: [{ conclusion: 'failure' }, {}] })
    expect(cli.stderr()).toMatch(/✗ bad\.yml \/ a: failed/)
    expect(cli.stderr()).toMatch(/^ {4}\| .*why$/m)
    expect(cli.stderr()).toMatch(/^– .*unknown\.yml \/ last: skipped$/m)
    for (const [, done, all] of cli.stderr().matchAll(/(\d+) of (\d+) jobs done/g))
      expect(Number(done)).toBeLessThanOrEqual(Number(all))
  })

  test('shows the result of each step, counts the steps that it does not run, and fails for them with --strict', async () => {
    const good = workflow('good.yml', job('a', 'echo hello') + job('b', 'echo after', '    needs: a\n'))
    const steps = workflow(
      'steps.yml',
      '  a:\n    runs-on: x\n    steps:\n      - uses: actions/setup-node@v4\n      - run: echo hi\n      - if: false\n        run: echo no\n',
    )
    const cli = demo.world.start('demo', good, steps, '--exit', '--strict')
    expect(await cli.ended).toMatchObject({ code: 1 })
    expect(cli.stderr()).toMatch(/✓ good\.yml \/ a {2}[\d.]+ s\n {4}✓ Run echo hello\n/)
    expect(cli.stderr()).toContain('✓ good.yml / b')
    expect(cli.stderr()).toContain(
      'Left behind: nothing. 1 step skipped: actions are not run.\nThe demo failed, because --strict',
    )
  })

  test('shows a refused template on the set within two seconds, and registers no runner for it', async () => {
    const file = workflow('slow.yml', job('a', 'sleep 30'))
    const cli = demo.world.start('demo', file)
    const [, kubeconfig = ''] = await cli.saw(/--kubeconfig (\S+)/)
    const { refuseBadSet } = await import('./bad-set.ts')
    await refuseBadSet(kubeconfig, cli)
    cli.child.kill('SIGINT')
    expect(await cli.ended).toMatchObject({ code: 130 })
    expect([demo.world.files(), demo.world.processes()]).toEqual([[], []])
  })
})

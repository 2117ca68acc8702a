import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { clean, useWorld } from '../use-world.ts'

const demo = useWorld()

function workflow(name: string, ...jobs: readonly string[]): string {
  return demo.write(name, `name: ${name}\non: push\njobs:\n${jobs.map((job) => `  ${job}\n`).join('')}`)
}

function commit(): void {
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-C', demo.own, '-c', 'user.name=a', '-c', 'user.email=a@b', ...args])
  git('init', '--quiet')
  git('add', '.')
  git('commit', '--quiet', '--message', 'files')
}

test('each job runs on a runner of its own with its labels, in a clone of the repository, an action is counted as skipped, and nothing is left', async () => {
  const file = workflow(
    'ci.yml',
    "build: { runs-on: [Linux, gpu], outputs: { it: '${{ steps.s.outputs.it }}' }, steps: [{ uses: actions/checkout@v4 }, { id: s, run: test -f ci.yml && echo it=7 >> $GITHUB_OUTPUT }] }",
    'check: { needs: build, runs-on: demo, strategy: { matrix: { n: [1, 2] } }, steps: [{ run: "test ${{ needs.build.outputs.it }} = 7" }] }',
    "tag: { if: github.ref_type == 'tag', needs: build, runs-on: [], steps: [{ run: exit 1 }] }",
  )
  const steps = workflow(
    'steps.yml',
    'a: { runs-on: x, steps: [{ uses: actions/setup-node@v4 }, { if: false, run: no }] }',
  )
  commit()
  const cli = demo.world.start('demo', '--forge', 'gitea', file, steps, '--json')
  expect(await cli.ended, cli.stderr()).toMatchObject({ code: 0 })
  const jobs = [
    ['build', 'success'],
    ['check (1)', 'success'],
    ['check (2)', 'success'],
    ['tag', 'skipped'],
  ]
  const report = JSON.parse(cli.stdout())
  expect(report).toMatchObject({
    jobs: 5,
    succeeded: 4,
    skipped: 1,
    ranTwice: 0,
    stepsSkipped: 1,
    leftovers: clean,
    runs: [
      { conclusion: 'success', jobs: jobs.map(([name, conclusion]) => ({ name, conclusion })) },
      { conclusion: 'success', jobs: [{ name: 'a', conclusion: 'success' }] },
    ],
  })
  expect(report.runners).toBeGreaterThanOrEqual(report.jobs)
  expect([demo.world.files(), demo.world.processes()]).toEqual([[], []])
}, 60_000)

test('a failed job shows its steps and its log, skips the later ones, and ends the demo with 1', async () => {
  const file = workflow(
    'bad.yml',
    'a: { runs-on: x, steps: [{ run: echo why && exit 3 }, { run: echo never }] }',
    'b: { needs: a, runs-on: x, steps: [{ run: echo never }] }',
  )
  const cli = demo.world.start('demo', '--forge', 'gitea', file, '--exit', '--json')
  expect(await cli.ended).toMatchObject({ code: 1 })
  expect(JSON.parse(cli.stdout())).toMatchObject({ jobs: 2, failed: 1, skipped: 1, leftovers: clean })
  expect(cli.stderr()).toMatch(/✗ bad\.yml \/ a: failed .*\n {4}✗ Run echo why && exit 3\n {4}– Run echo never\n/)
  expect(cli.stderr()).toMatch(/^ {4}\| why$/m)
  expect(cli.stderr()).toContain('– bad.yml / b: skipped\n')
}, 60_000)

test('a job that Gitea would never run is refused before anything starts', async () => {
  const files = [
    workflow('label.yml', 'a: { runs-on: "${{ vars.NONE }}", steps: [{ run: exit }] }'),
    workflow('scheme.yml', 'a: { runs-on: "x:docker://node", steps: [{ run: exit }] }'),
    workflow(
      'late.yml',
      'a: { runs-on: x, steps: [{ run: exit }] }',
      'b: { needs: a, runs-on: x, strategy: { matrix: { n: "${{ fromJSON(needs.a.outputs.n) }}" } }, steps: [{ run: exit }] }',
    ),
  ]
  const cli = demo.world.start('demo', '--forge', 'gitea', ...files)
  expect(await cli.ended).toMatchObject({ code: 2 })
  expect(cli.stderr()).toContain('asks for the label "", which no runner has')
  expect(cli.stderr()).toContain('asks for the label "x:docker://node"')
  expect(cli.stderr()).toMatch(/late\.yml:1:1\nerror workflow-invalid: .*\n {2}next: Gitea evaluates matrices/)
})

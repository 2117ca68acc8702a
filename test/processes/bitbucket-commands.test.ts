// Tests the operators' commands, as built, on a set of Bitbucket: status, explain, plan, sweep and the doctor.
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'vitest'
import { runCli, until } from '../cli.ts'
import { accessToken, type BitbucketProcessWorld, worldTest } from '../controller/bitbucket/process-world.ts'

const waitMs = 120_000
const hourMs = 3_600_000

const test = worldTest.extend<{ readonly operator: ReturnType<typeof operatorOf> }>({
  operator: async ({ world }, use) => use(operatorOf(world)),
})

function operatorOf(world: BitbucketProcessWorld) {
  return {
    dayfly: (...args: readonly string[]) =>
      runCli([...args, '--kubeconfig', world.adminKubeconfig], { environment: { TMPDIR: world.own } }),
    registered: () =>
      world.emulator.control
        .runners()
        .map(({ name }) => name)
        .sort(),
    credentialFile: () => {
      const file = path.join(world.own, 'credential.env')
      writeFileSync(file, `# the account\nexport BITBUCKET_ACCESS_TOKEN="${accessToken}"\n`, { mode: 0o600 })
      return file
    },
  }
}

test.concurrent('status, explain and plan show a busy runner, its cordon and a late job', async ({
  world,
  operator: { dayfly },
}) => {
  // Without room for a second runner, the next step comes to the same one.
  world.addSet('linux', { min: 1, max: 1 })
  const controller = world.start()
  const runner = await until('a runner is idle', waitMs, () =>
    world.emulator.control.runners().find(({ status }) => status === 'ONLINE'),
  )
  const refused = world.emulator.control.fault({
    match: { method: 'PUT', pathRegex: runner.uuid },
    times: 1_000,
    action: { kind: 'answer', status: 503, body: {} },
  })
  world.queue('linux')
  await controller.saw('job-started', waitMs, { runner: runner.name })
  const before = await dayfly('plan', 'linux', '--forge')
  expect(before.stdout).toMatch(/demand 1, min 1, max 1: 1 wanted; .*\(1 with a job\)/)
  expect(before.stdout).toContain(`Asks the forge to give ${runner.name} no other job.`)
  const late = world.queue('linux')
  world.emulator.control.stub.finish(runner.name, 'SUCCESSFUL')
  await controller.saw('job-late', waitMs, { runner: runner.name })
  world.emulator.control.removeFault(refused)
  await until('it is cordoned', waitMs, () =>
    world.emulator.control.runners().some(({ uuid, status }) => uuid === runner.uuid && status === 'DISABLED'),
  )
  const status = await until('the status shows the late job', waitMs, async () => {
    const shown = await dayfly('status')
    return shown.stdout.includes('cordon came too late') ? shown : undefined
  })
  expect(status.stdout).toMatch(/^ci\/linux: the controller asks the forge every \d+ s\.$/m)
  expect(status.stdout).toMatch(/^ci\/linux: 1 job began on a runner that had run one/m)
  expect(JSON.parse((await dayfly('status', '--json')).stdout).sets[0]).toMatchObject({
    lateJobs: 1,
    pollSeconds: expect.any(Number),
    max: 1,
  })
  const explained = await dayfly('explain', runner.name)
  expect([explained.code, explained.stdout]).toEqual([0, expect.stringMatching(/: busy\n {2}It has a job\./)])
  expect(explained.stdout).toMatch(/The controller cordons it, so that the forge gives it no other\s+job/)
  expect(explained.stdout).toMatch(/It had 2 jobs: its cordon came too late/)
  expect(explained.stdout).toContain(`"step" ({${late}}) of acme began`)
  const after = JSON.parse((await dayfly('plan', 'linux', '--forge', '--json')).stdout).sets[0]
  expect(after).toMatchObject({ demandFrom: 'forge', demand: 1, wanted: 1 })
  expect(JSON.stringify(after.steps)).not.toContain('no other job')
}, 400_000)

test.concurrent('drain ends idle runners, and lets a busy one finish its step', async ({
  world,
  operator: { dayfly, registered },
}) => {
  world.addSet('linux')
  const controller = world.start()
  await until('a runner is idle', waitMs, () =>
    world.emulator.control.runners().some(({ status }) => status === 'ONLINE'),
  )
  const step = world.queue('linux')
  const { runner } = await controller.saw('job-started', waitMs)
  await until('a second runner is registered', waitMs, () => registered().length === 2)
  const draining = dayfly('drain', 'linux', '--json')
  await until('only the busy runner is left', waitMs, () => registered().join() === String(runner))
  expect(world.emulator.control.step(step)?.state).toBe('IN_PROGRESS')
  world.emulator.control.stub.finish(String(runner), 'SUCCESSFUL')
  const drained = await draining
  expect([drained.code, JSON.parse(drained.stdout)]).toMatchObject([0, { name: 'linux', state: 'drained' }])
  expect(registered()).toEqual([])
  expect(world.emulator.control.step(step)?.result).toBe('SUCCESSFUL')
}, 400_000)

test.concurrent('plan --forge names no wanted number for a set with percentages, and says why Bitbucket did not answer', async ({
  world,
  operator: { dayfly },
}) => {
  world.addSet('linux')
  world.addSet('share', { min: 1, max: 4, percentageRunnersIdle: {} })
  const share = JSON.parse((await dayfly('plan', 'share', '--forge', '--json')).stdout).sets[0]
  expect(share).toMatchObject({ demand: 0, demandFrom: 'forge', wanted: null })
  expect(share.steps).toEqual([
    { does: 'refuse', sentence: 'Starts nothing: it checks the template first.' },
    { does: 'check', sentence: 'Checks the template with a dry run.' },
  ])
  world.changeSecret('wrong')
  const { code, stdout } = await dayfly('plan', 'linux', '--forge')
  expect([code, stdout]).toEqual([
    0,
    expect.stringMatching(/The state at the forge: the forge did not\s+answer: .*401/s),
  ])
}, 60_000)

test.concurrent('sweep removes what a lost installation left at Bitbucket, and nothing busy, young or foreign', async ({
  world,
  operator: { credentialFile, dayfly, registered },
}) => {
  const name = (end: string) => `old-0a1b2-${end}`
  await world.plant(name('bbbbbbbbbb'), 2 * hourMs)
  await world.plant(name('ccccccccc2'), 60_000)
  await world.plant('made-by-hand', 2 * hourMs)
  await world.plant(name('ddddddddd2'), 2 * hourMs, ['busy'])
  world.emulator.control.stub.online(name('ddddddddd2'))
  world.queue('busy')
  await until('it is busy', waitMs, () => world.emulator.control.runners().some(({ steps }) => steps === 1))
  const asked = ['sweep', '--bitbucket-workspace', world.url, '--bitbucket-credential-file', credentialFile()]
  const plan = JSON.parse((await dayfly(...asked, '--json')).stdout)
  expect(plan.steps.map(({ sentence }: { readonly sentence: string }) => sentence)).toEqual([
    `remove the registration ${name('bbbbbbbbbb')} at the forge`,
  ])
  expect(plan.untouched).toEqual([
    { what: `registration ${name('ccccccccc2')}`, because: expect.stringContaining('may be a start') },
    { what: `registration ${name('ddddddddd2')}`, because: expect.stringContaining('may be busy') },
  ])
  const done = await dayfly(...asked, '--confirm', plan.digest)
  expect([done.code, done.stderr]).toEqual([0, expect.stringContaining('1 of 1 steps done')])
  expect(registered()).toEqual(['made-by-hand', name('ccccccccc2'), name('ddddddddd2')].sort())
  expect(done.stdout + done.stderr).not.toContain(accessToken)
}, 200_000)

test.concurrent("the doctor finds and removes a runner of Atlassian's autoscaler whose Job is gone", async ({
  world,
  operator: { credentialFile, dayfly },
}) => {
  const labels = ['linux', 'autoscaler.created']
  const [gone, busy] = [await world.plant('group', 2 * hourMs, labels), await world.plant('group', 2 * hourMs, labels)]
  world.emulator.control.stub.online(busy)
  world.emulator.control.queueSteps([{ repository: 'app', labels }])
  await until('it is busy', waitMs, () => world.emulator.control.runners().some(({ steps }) => steps === 1))
  for (const uuid of [gone, busy]) world.addSecret(`runner-oauth-credentials-${uuid}`, {})
  const asked = ['doctor', '--live', '--bitbucket-workspace', world.url]
  const file = ['--bitbucket-credential-file', credentialFile()]
  const json = JSON.parse((await dayfly(...asked, ...file, '--format', 'json')).stdout)
  const found = json.findings.filter(
    ({ rule }: { readonly rule: string }) => rule === 'LIV307' || rule === 'orphan-registration',
  )
  expect(found).toHaveLength(1)
  expect(JSON.stringify(found)).toContain(`runner-${gone}`)
  const planned = await dayfly(...asked, ...file, '--fix')
  const digest = /with --confirm ([0-9a-f]{16})$/m.exec(planned.stderr)?.[1] ?? 'no digest'
  const confirmed = await dayfly(...asked, ...file, '--fix', '--confirm', digest)
  expect(confirmed.stderr).toContain('1 of 1 step done')
  expect(world.emulator.control.runners().map(({ uuid }) => uuid)).toEqual([busy])
}, 200_000)

const refusals: readonly (readonly [title: string, args: readonly string[], code: string])[] = [
  ['no credential', ['--bitbucket-workspace', 'acme'], 'bitbucket-credential-missing'],
  [
    'a file that is not there',
    ['--bitbucket-workspace', 'acme', '--bitbucket-credential-file', '/nowhere'],
    'bitbucket-credential-missing',
  ],
  ['a file without a workspace', ['--bitbucket-credential-file', 'x'], 'usage'],
  ['two accounts', ['--bitbucket-workspace', 'acme', '--github-url', 'https://github.com/acme'], 'usage'],
  ['plain HTTP', ['--bitbucket-workspace', 'http://forge.example/acme'], 'bitbucket-url-insecure'],
]

test.concurrent.for(refusals)(
  '%s is refused with a code and a next step, by the doctor and the sweep',
  async ([_, args, code], { operator: { dayfly } }) => {
    for (const command of [['doctor', '--live'], ['sweep']]) {
      const result = await dayfly(...command, ...args)
      expect([result.code, result.stderr]).toEqual([
        2,
        expect.stringMatching(new RegExp(`error ${code}: .*\n {2}next: .+`)),
      ])
    }
  },
)

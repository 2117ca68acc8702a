import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { type AddressInfo, createServer as createTcp, connect as dial } from 'node:net'
import path from 'node:path'
import { pods, runnerSets, secrets } from '@dayfly/controller/resources'
import type { KubeObject } from '@dayfly/kubernetes/types'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type CliResult, createWorld, program, runCli, until, type World } from '../cli.ts'
import { definitions, type OperateStage, openOperateStage, template } from '../controller/operate-stage.fixture.ts'

let stage: OperateStage
beforeAll(async () => {
  stage = await openOperateStage(50)
}, 60_000)
afterAll(() => stage.close())

function json(result: CliResult) {
  return JSON.parse(result.stdout)
}

/** Runs the command until its output matches. */
function sees(pattern: RegExp, ms: number, ...args: readonly string[]): Promise<CliResult> {
  return until(`${args.join(' ')} shows ${pattern}`, ms, async () => {
    const result = await stage.dayfly(...args)
    return pattern.test(result.stdout) ? result : undefined
  })
}

const noNode = template({}, { nodeSelector: { disk: 'ssd' } })

describe('before a controller runs', () => {
  test('status says so and fails, also without a set', async () => {
    const { code, stdout } = await stage.dayfly('status')
    expect([code, stdout]).toEqual([1, expect.stringMatching(/^Leader: none, and there is no Lease of Dayfly/m)])
  })

  test('status says that no controller works on the set, and shows unknown counts as ?', async () => {
    await stage.addSet('no-node', noNode)
    const { code, stdout } = await stage.dayfly('status')
    expect(code).toBe(1)
    expect(stdout).toMatch(/^Leader: none, and there is no Lease of Dayfly for this namespace$/m)
    expect(stdout).toMatch(/^no-node\s+\?\s+\?\s+\?\s+\?\s+\?\s+\?\s+3$/m)
    expect(stdout).toMatch(/no-leader: No controller runs/)
    const parsed = json(await stage.dayfly('status', '--json'))
    expect(parsed.sets[0]).toMatchObject({ name: 'no-node', controller: 'no-leader', demand: null, idle: null })
  })

  test('plan refuses to know the demand, and says that nobody acts', async () => {
    const { code, stdout } = await stage.dayfly('plan', 'no-node')
    expect(code).toBe(0)
    expect(stdout).toMatch(/demand \?, min 1, max 3: \? wanted/)
    expect(stdout).toMatch(/Nobody acts on this plan/)
  })

  test('a wrong name is answered with the nearest one, and another namespace with -A', async () => {
    const wrong = await stage.dayfly('plan', 'no-nod')
    expect([wrong.code, wrong.stderr]).toEqual([
      2,
      expect.stringMatching(/set-unknown: .*\n {2}next: Did you mean "no-node"\?/),
    ])
    const arc = await stage.dayfly('takeover', 'arc', 'linus')
    expect([arc.code, arc.stderr]).toEqual([
      2,
      expect.stringMatching(/set-unknown: There is no AutoscalingRunnerSet "linus" of ARC .*\n {2}next: .*-A\./),
    ])
    const other = await stage.dayfly('drain', 'no-node', '-n', 'elsewhere')
    expect([other.code, other.stderr]).toEqual([
      2,
      expect.stringMatching(/namespace-unknown: There is no namespace "elsewhere" in this cluster\.\n {2}next: /),
    ])
    for (const command of ['status', 'plan']) {
      const typo = await stage.dayfly(command, '-n', 'elsewhere')
      expect([typo.code, typo.stdout, typo.stderr]).toEqual([2, '', expect.stringContaining('namespace-unknown')])
      const empty = await stage.dayfly(command, '-n', 'kube-system')
      expect([empty.code, empty.stdout]).toEqual([
        command === 'status' ? 1 : 0,
        expect.stringContaining('no RunnerSet in the namespace kube-system'),
      ])
    }
    const set = await stage.dayfly('drain', 'no-node', '-n', 'kube-system')
    expect(set.stderr).toMatch(/set-unknown: .*"no-node" in the namespace kube-system/)
    const both = await stage.dayfly('status', '-A', '-n', 'default')
    expect([both.code, both.stderr]).toEqual([2, expect.stringContaining('error usage')])
  })
})

describe('broken sets that a controller works on', () => {
  let lost: number | undefined
  beforeAll(async () => {
    lost = stage.startController().child.pid
    await stage.addSet('bad-mount', template({ volumeMounts: [{ name: 'gone', mountPath: '/gone' }] }))
    const env = [{ name: 'X', valueFrom: { configMapKeyRef: { name: 'missing', key: 'x' } } }]
    await stage.addSet('no-config', template({ env }))
    await stage.addSet('far', { github: { url: 'http://127.0.0.1:9/acme', credentials: { secret: 'github' } } })
  })

  test.each([
    ['bad-mount', 'template-invalid', /volumeMounts.*"gone"/],
    ['no-config', 'config-missing', /configmap "missing" not found/],
    ['no-node', 'unschedulable', /0\/1 nodes are available/],
    ['far', 'forge-unreachable', /127\.0\.0\.1:9/],
  ] as const)(
    'status and explain show that %s fails with %s, with the next step',
    async (set, reason, detail) => {
      const { stdout } = await sees(new RegExp(`default/${set}\n {2}${reason}: `), 60_000, 'status')
      expect(stdout).toMatch(detail)
      const explained = await stage.dayfly('explain', set)
      expect(explained.code).toBe(1)
      expect(explained.stdout).toMatch(new RegExp(`^Set default/${set}\n {2}${reason}: `))
      expect(explained.stdout).toMatch(/\n {4}next: \S/)
      expect(explained.stdout).toMatch(/\nNow: demand/)
      const parsed = json(await stage.dayfly('status', '--json'))
      const found = parsed.sets.find(({ name }: { name: string }) => name === set)
      expect(found.problems).toContainEqual(expect.objectContaining({ reason, next: expect.any(String) }))
    },
    90_000,
  )

  test('the unknown demand of an unreachable forge is ? and never 0', async () => {
    expect((await stage.dayfly('status')).stdout).toMatch(/^far\s+\?\s+\?\s/m)
    expect(json(await stage.dayfly('plan', 'far', '--json')).sets[0]).toMatchObject({ demand: null, wanted: null })
  })

  test('explain shows of one runner why it does not start, until when, its container and its Events', async () => {
    const name = await until('the pod exists', 10_000, async () => {
      const { items } = await stage.kubernetes.list(pods, { namespace: 'default' })
      return items.map(({ metadata }) => metadata.name).find((one) => one.startsWith('no-node-'))
    })
    const { code, stdout } = await stage.dayfly('explain', name)
    expect(code).toBe(1)
    expect(stdout).toMatch(new RegExp(`^Runner default/${name} of the set no-node: starting`))
    expect(stdout).toMatch(/The controller gives it up in \d/)
    expect(stdout).toMatch(/\n {2}unschedulable: No node can take the pod\./)
    expect(stdout).toMatch(/^runner\s+container\s+not created/m)
    expect(stdout).toMatch(/! +\d+ s ago {2}FailedScheduling/)
    const parsed = json(await stage.dayfly('explain', `runner/${name}`, '--json'))
    expect(parsed.runners[0]).toMatchObject({ phase: 'starting', problem: { reason: 'unschedulable' } })
    const planned = await stage.dayfly('plan', 'no-node')
    expect(planned.stdout).toMatch(/Waits for no-node-\S+: unschedulable for/)
    expect(planned.stdout).toMatch(/1 wanted; 1 starting, 0 running/)
  })

  test('plan asks the forge with the credential of the set', async () => {
    const asked = await stage.dayfly('plan', 'no-node', '--forge', '--json')
    expect(json(asked).sets[0]).toMatchObject({ demand: 0, demandFrom: 'forge', wanted: 1 })
    const { stdout } = await stage.dayfly('plan', 'far', '--forge')
    expect(stdout).toMatch(/The state at the forge: the forge did not answer/)
  })

  test('drain pauses a set, removes its runner without a job, and resumes', async () => {
    const drained = await stage.dayfly('drain', 'no-node', '--timeout', '60s')
    expect([drained.code, drained.stdout]).toEqual([0, 'default/no-node is drained.\n'])
    expect(drained.stderr).toMatch(/is paused; waiting/)
    expect((await stage.kubernetes.get(runnerSets, { namespace: 'default', name: 'no-node' }))['spec']).toMatchObject({
      paused: true,
    })
    expect((await stage.dayfly('status')).stdout).toMatch(/^no-node\s+paused/m)
    expect((await stage.dayfly('plan', 'no-node')).stdout).toMatch(/Starts nothing: the set is paused/)
    const resumed = await stage.dayfly('drain', 'no-node', '--resume')
    expect([resumed.code, resumed.stdout]).toEqual([0, 'default/no-node starts runners again.\n'])
    await sees(/1 starting/, 20_000, 'plan', 'no-node')
  }, 90_000)

  test('at 150 ms of latency each command answers within seconds', async () => {
    const slow = await slowKubeconfig(150)
    try {
      for (const args of [['status'], ['explain', 'no-node'], ['plan'], ['sweep']]) {
        const begun = Date.now()
        const { stderr, stdout } = await runCli([...args, '--kubeconfig', slow.file])
        expect([stderr, stdout.length > 0]).toEqual(['', true])
        expect(Date.now() - begun).toBeLessThan(15_000)
      }
    } finally {
      slow.close()
    }
  }, 60_000)

  test('a killed controller leaves its Lease: status says that it is gone, and marks the counts as old', async () => {
    process.kill(lost ?? 0, 'SIGKILL')
    const { stdout } = await sees(
      /^Leader: none: \S+ is gone \(Lease default\/dayfly, renewed \d+ s ago/m,
      60_000,
      'status',
    )
    expect(stdout).toMatch(/^no-node\s+\?\s+\(0\)\s+\(0\)/m)
    expect(stdout).toMatch(/The counts in brackets are old/)
    expect(stdout).toMatch(/no-leader: No controller leads: \S+ renewed the Lease default\/dayfly last \d+ s ago/)
    expect((await stage.dayfly('plan', 'no-node')).stdout).toMatch(/demand \?.*\n {2}! Nobody acts on this plan/)
    const stuck = await stage.dayfly('drain', 'no-node', '--timeout', '3s')
    expect([stuck.code, stuck.stderr]).toEqual([
      1,
      expect.stringMatching(/drain-timeout: .*1 runner after 3 s.*No controller leads/),
    ])
  }, 90_000)

  test('Ctrl-C leaves a set draining, and says so', async () => {
    const cli = stage.world.start('drain', 'no-node', '--kubeconfig', stage.kubeconfig)
    await cli.saw(/1 runner left/)
    cli.child.kill('SIGINT')
    expect(await cli.ended).toMatchObject({ code: 130 })
    expect(cli.stderr()).toMatch(
      /interrupted: default\/no-node stays paused and goes on draining\. "dayfly drain no-node -n default --resume"/,
    )
  })
})

describe('sweep', () => {
  test('removes what has no RunnerSet, after its plan is confirmed, and never a runner that lives', async () => {
    await leave('old-ended', 'true')
    await leave('old-lives', 'sleep 600')
    const plan = await until('the pod has ended', 20_000, async () => {
      const result = json(await stage.dayfly('sweep', '--json'))
      return result.steps.length === 2 ? result : undefined
    })
    expect(plan.steps.map(({ sentence }: { sentence: string }) => sentence)).toEqual([
      'delete Pod default/old-ended',
      'delete Secret default/old-secret',
    ])
    expect(plan.untouched).toMatchObject([
      { what: 'Pod default/old-lives', because: expect.stringMatching(/may have a job/) },
    ])
    const wrong = await stage.dayfly('sweep', '--confirm', '0000000000000000')
    expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('plan-changed')])
    const done = await stage.dayfly('sweep', '--confirm', plan.digest)
    expect([done.code, done.stderr]).toEqual([0, expect.stringMatching(/2 of 2 steps done/)])
    const left = await stage.kubernetes.list(pods, { namespace: 'default', labelSelector: 'dayfly.dev/set=old' })
    expect(left.items.map(({ metadata }) => metadata.name)).toEqual(['old-lives'])
  }, 60_000)

  async function leave(name: string, command: string): Promise<void> {
    const metadata = { name, namespace: 'default', labels: { 'dayfly.dev/set': 'old', 'dayfly.dev/runner': name } }
    const containers = [{ name: 'runner', image: 'x', command: ['/bin/sh', '-c', command] }]
    await stage.kubernetes.create(pods, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata,
      spec: { restartPolicy: 'Never', containers },
    })
    if (name !== 'old-ended') return
    const orphan = { ...metadata, name: 'old-secret' }
    await stage.kubernetes.create(secrets, { apiVersion: 'v1', kind: 'Secret', metadata: orphan } as KubeObject)
  }
})

describe('a cluster that cannot be read', () => {
  test('without the definition of RunnerSet, the next step is the installation', async () => {
    await stage.kubernetes.delete(definitions, { name: 'runnersets.dayfly.dev' })
    for (const command of [['status'], ['plan'], ['explain', 'x'], ['drain', 'x']]) {
      const { code, stderr } = await until('the kind is gone', 20_000, async () => {
        const result = await stage.dayfly(...command)
        return result.stderr.includes('crd-missing') ? result : undefined
      })
      expect([code, stderr]).toEqual([1, expect.stringMatching(/^error crd-missing: .*\n {2}next: Install Dayfly/)])
    }
    expect((await stage.dayfly('sweep')).stdout).toContain('old-lives')
  }, 60_000)

  test('a refusal names the verb and the resource', async () => {
    const server = createServer((request, response) => {
      const isVersion = request.url === '/version'
      const status = {
        kind: 'Status',
        apiVersion: 'v1',
        status: 'Failure',
        reason: 'Forbidden',
        code: 403,
        message: 'no',
      }
      response.writeHead(isVersion ? 200 : 403, { 'content-type': 'application/json' })
      response.end(JSON.stringify(isVersion ? { gitVersion: 'v1.36.0' } : status))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const file = kubeconfigFor(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
    const { code, stderr } = await runCli(['status', '-n', 'ci', '--kubeconfig', file])
    server.close()
    expect(code).toBe(1)
    expect(stderr).toMatch(/^error forbidden: You may not list runnersets\.dayfly\.dev in namespace ci\./)
    expect(stderr).toContain('kubectl auth can-i list runnersets.dayfly.dev -n ci')
  })

  test('installed as kubectl-dayfly, the program answers as a command of kubectl', async () => {
    const link = path.join(stage.world.directory, 'kubectl-dayfly')
    symlinkSync(program, link)
    const shown = await runCli(['status', '--help'], { program: link })
    expect(shown.stdout).toMatch(/^Usage: kubectl dayfly status \[options\]/)
    expect(shown.stdout).toContain('kubectl dayfly status -A --watch')
    const wrong = await runCli(['statsu'], { program: link })
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('Did you mean "kubectl dayfly status"?')])
  })

  test('no cluster at all fails at once', async () => {
    const { code, stderr } = await runCli(['status', '--kubeconfig', kubeconfigFor('http://127.0.0.1:9')])
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^error cluster-unreachable/)])
  })
})

describe('jobs in the demo', () => {
  let world: World
  afterEach(() => world.end())

  test('explain names the runner of a job while it runs and when it is gone, and drain lets it finish', async () => {
    world = createWorld()
    mkdirSync(path.join(world.directory, 'own'))
    const file = path.join(world.directory, 'own', 'slow.yml')
    writeFileSync(
      file,
      'name: slow\non: push\njobs:\n  long:\n    runs-on: ubuntu-latest\n    steps:\n      - run: sleep 8\n',
    )
    const demo = world.start('demo', file)
    const [, kubeconfig = ''] = await demo.saw(/--kubeconfig (\S+)/)
    const run = (...args: readonly string[]) => runCli([...args, '--kubeconfig', kubeconfig])
    const busy = await until('the job is known', 20_000, async () => {
      const result = await run('explain', 'job/long', '--json')
      return result.code === 0 ? json(result).runners[0] : undefined
    })
    expect(busy).toMatchObject({ phase: 'busy', set: 'demo', job: { name: 'slow / long' } })
    const drained = await run('drain', 'demo', '--json')
    expect([drained.code, json(drained)]).toEqual([0, { namespace: 'default', name: 'demo', state: 'drained' }])
    expect(drained.stderr).toMatch(/1 runner left \(1 busy\)/)
    const gone = await run('explain', busy.runner)
    expect([gone.code, gone.stdout]).toEqual([
      0,
      expect.stringMatching(
        /: gone\n.*\n {2}The job "slow \/ long"[\s\S]* (ended\s+\d+ s ago: succeeded|not\s+recorded here: the forge knows it)\.\n/,
      ),
    ])
    expect(gone.stdout).toMatch(/Started: Container started/)
    demo.child.kill('SIGINT')
    await demo.ended
  }, 60_000)
})

function kubeconfigFor(server: string): string {
  const file = path.join(stage.world.directory, `kubeconfig-${new URL(server).port}`)
  const content = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'x',
    contexts: [{ name: 'x', context: { cluster: 'x', user: 'x' } }],
    clusters: [{ name: 'x', cluster: { server } }],
    users: [{ name: 'x', user: {} }],
  }
  writeFileSync(file, JSON.stringify(content))
  return file
}

/** A network in front of the API server: each piece of data takes half of the latency in each direction. */
async function slowKubeconfig(latencyMs: number) {
  const text = readFileSync(stage.kubeconfig, 'utf8')
  const target = new URL(/server: (\S+)/.exec(text)?.[1] ?? '')
  const server = createTcp((near) => {
    const far = dial(Number(target.port), target.hostname)
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      from.on('data', (piece) => setTimeout(() => to.write(piece), latencyMs / 2))
      from.on('close', () => setTimeout(() => to.destroy(), latencyMs / 2))
      from.on('error', () => to.destroy())
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const file = path.join(stage.world.directory, 'kubeconfig-slow')
  writeFileSync(file, text.replace(target.port, String(port)))
  return { file, close: () => server.close() }
}

// Installs the charts with helm on `dayfly cluster`, runs jobs through the installed RunnerSet, and uninstalls both.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { createGitHubEmulator, type GitHubEmulator } from '@dayfly/forge-emulators/github/emulator'
import { scriptJob } from '@dayfly/forge-emulators/github/script-job'
import { type HttpServer, httpServer } from '@dayfly/kit/http-server'
import { randomName } from '@dayfly/kit/ids'
import { listAt, numberAt, textAt } from '@dayfly/kit/read-json'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Cli, createWorld, until } from '../../cli.ts'
import { clock, random } from '../client-place.ts'
import { findKubectl } from '../kubectl.ts'
import { controllerChart, createPrograms, setsChart } from './programs.ts'

const execute = promisify(execFile)
/** An uninstall that takes longer waits for a finalizer or a hook. */
const uninstallMsMax = 60_000

describe('the charts on the embedded cluster', () => {
  const programs = createPrograms('helm')
  const { folder } = programs
  const world = createWorld()
  const token = `ghp_${randomName(random, 36)}`
  let program = 'kubectl'
  let obstacle: string | undefined
  let emulator: GitHubEmulator
  let forge: HttpServer
  let cluster: Cli | undefined
  let file = ''

  beforeAll(async () => {
    const found = await findKubectl()
    if (found.is === 'missing') obstacle = found.why
    else program = found.program
    obstacle ??= programs.obstacle()
    if (obstacle) return
    emulator = createGitHubEmulator({ clock, random, tokens: [token], knobs: { latencyMs: 50, longPollMs: 10_000 } })
    forge = await httpServer(emulator.handler)
    cluster = world.start('cluster', '--json')
    const line = await until('it prints its address', 10_000, () => /^\{.*\}$/m.exec(cluster?.stdout() ?? '')?.[0])
    file = (JSON.parse(line) as { kubeconfig: string }).kubeconfig
  })
  afterAll(async () => {
    world.end()
    if (obstacle) return
    emulator.close()
    await forge.close()
  })

  async function kubectl(...args: readonly string[]): Promise<string> {
    const env = { ...process.env, KUBECONFIG: file, HOME: folder }
    return (await execute(program, args, { env, maxBuffer: 64 * 1024 * 1024 })).stdout
  }

  /** Runs helm, which must succeed. Resolves with the time in milliseconds. */
  async function helm(...args: readonly string[]): Promise<number> {
    const started = performance.now()
    const { code, stderr } = await programs.run('helm', args, { KUBECONFIG: file })
    if (code !== 0) throw new Error(`helm ${args.join(' ')} ended with ${code}:\n${stderr}`)
    return performance.now() - started
  }

  /** Returns every object of both namespaces, and those of the cluster that belong to a release. */
  async function leftovers(): Promise<readonly string[]> {
    const list = async (namespaced: boolean, ...more: readonly string[]) => {
      const kinds = (await kubectl('api-resources', '--verbs=list', '-o', 'name', `--namespaced=${namespaced}`))
        .trim()
        .split('\n')
        .filter((kind) => !kind.startsWith('events'))
      return (await kubectl('get', kinds.join(), '-o', 'name', '--ignore-not-found', ...more))
        .split('\n')
        .filter(Boolean)
    }
    const inside = [...(await list(true, '-n', 'dayfly')), ...(await list(true, '-n', 'ci'))]
    const owned = await list(false, '-l', 'app.kubernetes.io/managed-by=Helm')
    const natural = ['configmap/kube-root-ca.crt', 'secret/github', 'serviceaccount/default']
    // Helm keeps the definition, because its deletion deletes every RunnerSet.
    const kept = 'customresourcedefinition.apiextensions.k8s.io/runnersets.dayfly.dev'
    return [...inside, ...owned].filter((each) => !natural.includes(each) && each !== kept)
  }

  /** Returns how often the containers of the controller's pods restarted. */
  async function restarts(): Promise<readonly number[]> {
    const pods: unknown = JSON.parse(await kubectl('-n', 'dayfly', 'get', 'pods', '-o', 'json'))
    const living = listAt(pods, 'items').filter((pod) => textAt(pod, 'metadata', 'deletionTimestamp') === undefined)
    return living.flatMap((pod) =>
      listAt(pod, 'status', 'containerStatuses').map((one) => numberAt(one, 'restartCount') ?? -1),
    )
  }

  const sets = () => [
    `--set=defaults.github.url=${forge.origin}/acme`,
    '--set=defaults.github.credentials.secret=github',
    '--set=sets.linux.scale.max=4',
  ]

  test('run jobs through a RunnerSet, and leave nothing behind', { timeout: 240_000 }, async (context) => {
    if (obstacle) return context.skip(obstacle)
    await kubectl('create', 'namespace', 'ci')
    await kubectl('-n', 'ci', 'create', 'secret', 'generic', 'github', `--from-literal=github_token=${token}`)
    const install = [
      'install',
      'dayfly',
      controllerChart,
      '-n',
      'dayfly',
      '--create-namespace',
      '--wait',
      '--timeout=60s',
    ]
    await helm(...install, '--set=watchNamespaces={ci}')
    await kubectl('-n', 'dayfly', 'rollout', 'restart', 'deployment/dayfly-ci')
    await kubectl('-n', 'dayfly', 'rollout', 'status', 'deployment/dayfly-ci', '--timeout=60s')
    expect(await restarts()).toEqual([0, 0])
    await helm('install', 'runners', setsChart, '-n', 'ci', ...sets())
    await kubectl('-n', 'ci', 'wait', 'runnerset/linux', '--for=condition=Ready', '--timeout=60s')

    const jobs = emulator.control.queueJobs(
      Array.from({ length: 8 }, (_, index) => {
        const name = `job ${index + 1}`
        return { labels: ['linux'], name, message: scriptJob(name, [{ run: 'hostname' }]) }
      }),
    )
    const results = () => jobs.map(({ id }) => emulator.control.job(id)?.result)
    await until('all jobs have a result', 90_000, () => results().every((result) => result !== undefined))
    expect(results()).toEqual(jobs.map(() => 'succeeded'))
    expect(jobs.map(({ id }) => emulator.control.job(id)?.runs)).toEqual(jobs.map(() => 1))
    await until('the pods of the runners are gone', 30_000, async () => {
      const pods = JSON.parse(await kubectl('-n', 'ci', 'get', 'pods', '-o', 'json')) as unknown
      return listAt(pods, 'items').length === 0
    })
    const events = JSON.parse(await kubectl('-n', 'ci', 'get', 'events', '-o', 'json')) as unknown
    expect(listAt(events, 'items').map((event) => textAt(event, 'reportingComponent'))).toContain('dayfly')

    expect(await helm('uninstall', 'runners', '-n', 'ci', '--wait')).toBeLessThan(uninstallMsMax)
    expect(await helm('uninstall', 'dayfly', '-n', 'dayfly', '--wait')).toBeLessThan(uninstallMsMax)
    await until('nothing is left', 30_000, async () => (await leftovers()).length === 0).catch(() => {})
    expect(await leftovers()).toEqual([])
    expect(emulator.control.registrations()).toEqual([])
    expect(await kubectl('get', 'crd', 'runnersets.dayfly.dev', '-o', 'name')).toContain('runnersets')
  })

  test('leave no process when the cluster ends', async (context) => {
    if (obstacle || !cluster) return context.skip(obstacle)
    cluster.child.kill('SIGINT')
    await cluster.ended
    expect(world.processes()).toEqual([])
    expect(world.files()).toEqual([])
  })
})

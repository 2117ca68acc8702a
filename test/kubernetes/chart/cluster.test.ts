// Tests the charts on a real API server: schemas, installation, upgrade and removal with helm, and the manifests with kubectl.
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { randomName } from '@dayfly/kit/ids'
import { listAt, textAt, valueAt } from '@dayfly/kit/read-json'
import { afterAll, beforeAll, describe, expect, it as test } from 'vitest'
import { parse } from 'yaml'
import { type Cli, createWorld } from '../../cli.ts'
import { eventually, random } from '../client-place.ts'
import { kubeconfig, whyNone } from '../cluster.ts'
import { findKubectl } from '../kubectl.ts'
import { controllerChart, createPrograms, fullValues, setsChart, setsValues } from './programs.ts'
import { writeSchemas } from './schemas.ts'

const execute = promisify(execFile)
/** An uninstall that takes longer waits for a finalizer or a hook. */
const uninstallMsMax = 60_000

const file = kubeconfig
if (file) describe('the charts on a cluster', () => suite(file))
else describe('the charts on a cluster', () => test('need one', (context) => context.skip(whyNone)))

function suite(file: string): void {
  const programs = createPrograms('helm', 'kubeconform')
  const { folder } = programs
  const run = randomName(random, 5)
  const [home, work, name] = [`home-${run}`, `work-${run}`, `dayfly-${run}`]
  const world = createWorld()
  let program: string | undefined
  let obstacle: string | undefined
  let hadDefinition = false

  beforeAll(async () => {
    const found = await findKubectl()
    if (found.is === 'missing') obstacle = found.why
    else program = found.program
    obstacle ??= programs.obstacle()
    if (obstacle) return
    hadDefinition = (await kubectl('get', 'crd', '-o', 'name')).includes('runnersets.dayfly.dev')
    for (const namespace of [home, work]) await kubectl('create', 'namespace', namespace)
    await kubectl('label', 'namespace', home, 'pod-security.kubernetes.io/enforce=restricted')
  })
  afterAll(async () => {
    world.end()
    if (obstacle) return
    await kubectl('delete', 'namespace', home, work, '--ignore-not-found', '--wait=false')
    if (!hadDefinition) await kubectl('delete', 'crd', 'runnersets.dayfly.dev', '--ignore-not-found')
  })

  function it(title: string, body: () => Promise<void>): void {
    test(title, async (context) => {
      if (obstacle) context.skip(obstacle)
      await body()
    })
  }

  async function kubectl(...args: readonly string[]): Promise<string> {
    const env = { ...process.env, KUBECONFIG: file, HOME: folder }
    return (await execute(program ?? 'kubectl', args, { env, maxBuffer: 64 * 1024 * 1024 })).stdout
  }

  /** Runs helm on a release, which must succeed. Resolves with the time in milliseconds. */
  async function helm(verb: string, release: string, ...args: readonly string[]): Promise<number> {
    const namespace = release === name ? home : work
    const crd = verb !== 'uninstall' && release === name && hadDefinition ? ['--set=crds.install=false'] : []
    const started = performance.now()
    const all = [verb, release, ...args, ...crd, `--namespace=${namespace}`]
    const { code, stderr } = await programs.run('helm', all, { KUBECONFIG: file })
    if (code !== 0) throw new Error(`helm ${all.join(' ')} ended with ${code}:\n${stderr}`)
    return performance.now() - started
  }

  /** Returns every object of both namespaces and every cluster object of the release, without those that each namespace has. */
  async function leftovers(): Promise<readonly string[]> {
    const kinds = async (namespaced: boolean) => {
      const args = ['api-resources', '--verbs=list', '-o', 'name', `--namespaced=${namespaced}`]
      return (await kubectl(...args))
        .trim()
        .split('\n')
        .filter((kind) => !/^(?:events|events.events.k8s.io)$/.test(kind))
    }
    const list = async (all: readonly string[], ...more: readonly string[]) =>
      (await kubectl('get', all.join(), '-o', 'name', '--ignore-not-found', ...more)).trim().split('\n').filter(Boolean)
    const namespaced = await kinds(true)
    const inside = await Promise.all([home, work].map((namespace) => list(namespaced, `--namespace=${namespace}`)))
    const cluster = (await list(await kinds(false))).filter((each) => each.includes(name))
    return [...inside.flat(), ...cluster].filter(
      (each) => !/^(?:configmap\/kube-root-ca.crt|serviceaccount\/default)$/.test(each),
    )
  }

  it('render objects that the schemas of the API server accept, and only those', async () => {
    const documents = await Promise.all(
      [
        'api/v1',
        ...[
          'apps',
          'rbac.authorization.k8s.io',
          'policy',
          'networking.k8s.io',
          'coordination.k8s.io',
          'apiextensions.k8s.io',
        ].map((group) => `apis/${group}/v1`),
      ].map(async (group) => JSON.parse(await kubectl('get', '--raw', `/openapi/v3/${group}`)) as unknown),
    )
    const crd: unknown = parse((await programs.manifests()).get('crd.yaml') ?? '')
    const runnerSet = {
      ...(valueAt(crd, 'spec', 'versions', 0, 'schema', 'openAPIV3Schema') as object),
      'x-kubernetes-group-version-kind': [{ group: 'dayfly.dev', version: 'v1alpha1', kind: 'RunnerSet' }],
    }
    const properties = {
      ...(runnerSet as unknown as { properties: object }).properties,
      apiVersion: {},
      kind: {},
      metadata: {},
    }
    const bundled = { components: { schemas: { RunnerSet: { ...runnerSet, properties } } } }
    const location = writeSchemas(path.join(folder, 'schemas'), [...documents, bundled])
    const check = async (text: string) => {
      const rendered = path.join(folder, 'rendered.yaml')
      writeFileSync(rendered, text)
      // The API server has no schemas of the Prometheus operator.
      const args = ['-strict', '-summary', '-skip=PodMonitor,PrometheusRule', `-schema-location=${location}`, rendered]
      return await programs.run('kubeconform', args)
    }
    const texts = await Promise.all([
      programs.template(controllerChart),
      programs.template(controllerChart, `--values=${fullValues}`),
      programs.template(controllerChart, '--set=scope=cluster'),
      programs.template(setsChart, `--values=${setsValues}`),
    ])
    for (const text of texts)
      expect(await check(text)).toMatchObject({ code: 0, stdout: expect.stringMatching(/Invalid: 0, Errors: 0/) })
    for (const [right, wrong] of [
      ['replicas:', 'replica:'],
      ['podSelector:', 'podSelectors:'],
      ['max: 5', 'max: five'],
    ] as const) {
      const text = texts.find((each) => each.includes(right))?.replace(right, wrong) ?? ''
      expect(await check(text), wrong).toMatchObject({
        code: 1,
        stdout: expect.stringMatching(/Invalid: 1, Errors: 0/),
      })
    }
  })

  it('install a controller whose pods the restricted Pod Security admits', async () => {
    await helm('install', name, controllerChart, `--set=watchNamespaces={${work}}`)
    await eventually(
      'two pods exist',
      async () => {
        const pods = JSON.parse(await kubectl('get', 'pods', '-n', home, '-o', 'json')) as unknown
        return listAt(pods, 'items').length === 2
      },
      30_000,
    )
    const events = await kubectl('get', 'events', '-n', home, '-o', 'jsonpath={.items[*].reason}')
    expect(events).not.toContain('FailedCreate')
  })

  it('install RunnerSets that the API server accepts', async () => {
    await helm('install', 'runners', setsChart, `--values=${setsValues}`)
    const sets = JSON.parse(await kubectl('get', 'runnersets', '-n', work, '-o', 'json')) as unknown
    expect(
      listAt(sets, 'items').map((set) => [textAt(set, 'metadata', 'name'), valueAt(set, 'spec', 'scale', 'max')]),
    ).toEqual([
      ['bitbucket-linux', 10],
      ['large', 5],
      ['linux', 1_000_000],
    ])
  })

  it('let the controller lead with nothing but the rights and the Lease of the chart', async () => {
    const controller = await startController(`${name}-${work}`)
    try {
      await eventually(
        'it holds the Lease',
        async () => {
          const lease = JSON.parse(
            await kubectl('get', 'lease', `${name}-${work}`, '-n', home, '-o', 'json'),
          ) as unknown
          return textAt(lease, 'spec', 'holderIdentity')
        },
        30_000,
      )
      await eventually(
        'it reports on both sets',
        async () => {
          const sets = JSON.parse(await kubectl('get', 'runnersets', '-n', work, '-o', 'json')) as unknown
          return listAt(sets, 'items').every((set) => listAt(set, 'status', 'conditions').length > 0)
        },
        30_000,
      )
    } finally {
      controller.child.kill('SIGTERM')
    }
    expect(await controller.ended).toEqual({ code: 0, signal: null })
    expect(controller.stdout()).not.toMatch(/forbidden/i)
  })

  /** Starts the controller outside the cluster with the token of its account. */
  async function startController(account: string): Promise<Cli> {
    const token = (await kubectl('create', 'token', account, '-n', home)).trim()
    const config = JSON.parse(await kubectl('config', 'view', '--raw', '--minify', '-o', 'json')) as Record<
      string,
      unknown
    >
    const users = [{ name: 'account', user: { token } }]
    const contexts = [{ name: 'it', context: { cluster: textAt(config, 'clusters', 0, 'name'), user: 'account' } }]
    const own = path.join(folder, 'controller.kubeconfig')
    writeFileSync(own, JSON.stringify({ ...config, users, contexts, 'current-context': 'it' }))
    const args = [`--kubeconfig=${own}`, `--namespace=${work}`, `--lease-namespace=${home}`, `--lease-name=${account}`]
    return world.start('controller', ...args, '--health-address=off')
  }

  it('upgrade from one namespace to the whole cluster, and remove the roles of the namespace', async () => {
    await helm('upgrade', name, controllerChart, '--set=scope=cluster', '--set=replicas=1')
    await helm('upgrade', 'runners', setsChart, `--values=${setsValues}`, '--set=sets.linux.scale.max=7')
    expect(await kubectl('get', 'clusterroles,clusterrolebindings', '-o', 'name')).toContain(
      `clusterrole.rbac.authorization.k8s.io/${name}\n`,
    )
    expect(await kubectl('get', 'roles,rolebindings', '-n', work, '-o', 'name')).toBe('')
    expect(await kubectl('get', 'runnerset', 'linux', '-n', work, '-o', 'jsonpath={.spec.scale.max}')).toBe('7')
  })

  for (const order of [
    ['runners', name],
    [name, 'runners'],
  ] as const)
    it(`leave nothing behind when the release ${order[0] === name ? 'of the controller' : 'of the sets'} is removed first`, async () => {
      await helm('upgrade', name, controllerChart, '--install', `--set=watchNamespaces={${work}}`)
      await helm('upgrade', 'runners', setsChart, '--install', `--values=${setsValues}`)
      expect(await leftovers()).toEqual(
        expect.arrayContaining(['runnerset.dayfly.dev/linux', `deployment.apps/${name}-${work}`]),
      )
      for (const release of order) expect(await helm('uninstall', release)).toBeLessThan(uninstallMsMax)
      await eventually('nothing is left', async () => (await leftovers()).length === 0, uninstallMsMax).catch(
        async () => {},
      )
      expect(await leftovers()).toEqual([])
      expect(await kubectl('get', 'crd', 'runnersets.dayfly.dev', '-o', 'name')).toContain('runnersets')
    })

  it('have manifests that kubectl applies and deletes', async () => {
    const taken = (await kubectl('get', 'namespace', 'dayfly', '--ignore-not-found', '-o', 'name')) !== ''
    expect(taken, 'the cluster has a namespace dayfly').toBe(false)
    const at = (name: string) => path.join(folder, name)
    for (const [name, text] of await programs.manifests()) writeFileSync(at(name), text)
    await kubectl('apply', '--server-side', '--force-conflicts', '-f', at('crd.yaml'))
    for (const manifest of [at('namespaced.yaml'), at('cluster.yaml')]) {
      await kubectl('apply', '-f', manifest)
      await eventually(
        'two pods exist',
        async () => (await kubectl('get', 'pods', '-n', 'dayfly', '-o', 'name')).trim().split('\n').length === 2,
        30_000,
      )
      await kubectl('delete', '-f', manifest, '--timeout=60s')
    }
    expect(await kubectl('get', 'clusterroles', '-o', 'name')).not.toContain('/dayfly\n')
  })
}

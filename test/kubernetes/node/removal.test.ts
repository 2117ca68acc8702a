// Tests each way to uninstall Dayfly on a real node, also while the forge is unreachable or refuses the credential.
import path from 'node:path'
import { runnerSets } from '@dayfly/controller/resources'
import { beforeAll, describe, expect, it } from 'vitest'
import { clock, crds, namespaces } from '../client-place.ts'
import { root, runnerImage } from './images.ts'
import { chart, createCredentials, installed } from './installation.ts'
import { nodeKubeconfig, settle, whyNoNode } from './open-node.ts'
import { queue } from './workload.ts'

const file = nodeKubeconfig
if (file) describe('on a real node', () => suite(file))
else describe('on a real node', () => it('each way to uninstall', (context) => context.skip(whyNoNode)))

const chartOfSets = path.join(root, 'deploy/chart-runner-set')
const boundMs = 60_000

/** The steps of an uninstall, each of which waits for its end. */
const ways = {
  'the set alone': ['set'],
  'the controller, then the set': ['controller', 'set'],
  'the set, then the controller': ['set', 'controller'],
  'the namespace': ['namespace'],
  'the set, while the controller is scaled to 0': ['scale', 'set', 'controller'],
} as const

type Step = (typeof ways)[keyof typeof ways][number]

/** The kinds of which nothing may be left. */
const kinds = [
  'runnersets',
  'pods',
  'secrets',
  'configmaps',
  'serviceaccounts',
  'leases',
  'roles',
  'rolebindings',
  'deployments',
  'replicasets',
  'networkpolicies',
  'poddisruptionbudgets',
]
/** Kubernetes or the operator put these into the namespace. */
const foreign = /^(secret\/github|configmap\/kube-root-ca\.crt|serviceaccount\/default)$/

function suite(kubeconfig: string): void {
  // The definition of RunnerSet comes with this installation. The tests have controllers of their own.
  const stage = installed(kubeconfig, { name: 'removal', latencyMs: 150 })

  /** Installs a controller and a set with one idle and one busy runner. */
  async function settleIn(namespace: string): Promise<void> {
    const { node, forge, operator } = stage()
    await node.enter(namespace)
    await createCredentials(node, namespace, forge)
    const crds = { install: false }
    const own = operator.values({ crds, replicas: 1, scope: 'namespace', watchNamespaces: [] })
    await operator.helm('install', 'dayfly', chart, '-n', namespace, ...own)
    const sets = {
      [namespace]: {
        github: { url: forge.url, plainHttp: true, credentials: { secret: 'github' } },
        scale: { min: 1, max: 3 },
        template: { spec: { containers: [{ name: 'runner', image: runnerImage }] } },
      },
    }
    await operator.helm('install', 'runners', chartOfSets, '-n', namespace, ...operator.values({ sets }))
    await settle(
      () => node.get(runnerSets, namespace, namespace),
      (set) => set !== undefined,
    )
    queue(forge, namespace, 1, 'sleep 3600')
    const states = () => forge.control.registrations().filter(({ name }) => name.startsWith(namespace))
    await settle(
      async () => states(),
      (runners) => runners.filter(({ online }) => online).length === 2 && runners.some(({ busy }) => busy),
      180_000,
    )
  }

  async function take(step: Step, namespace: string): Promise<void> {
    const { node, operator } = stage()
    const uninstall = (release: string) =>
      operator.helm('uninstall', release, '-n', namespace, '--wait', '--timeout', '60s')
    if (step === 'set') await uninstall('runners')
    if (step === 'controller') await uninstall('dayfly')
    if (step === 'scale') await operator.kubectl('scale', 'deployment/dayfly', '-n', namespace, '--replicas=0')
    if (step === 'namespace') await node.kubernetes.delete(namespaces, { name: namespace })
  }

  /** Names what is left in a namespace. */
  async function left(namespace: string): Promise<readonly string[]> {
    const { node, operator } = stage()
    if ((await node.get(namespaces, undefined, namespace)) === undefined) return []
    const names = await operator.kubectl('get', kinds.join(','), '-n', namespace, '-o', 'name', '--ignore-not-found')
    const short = names.split('\n').map((name) => name.replace(/^(\w+)[.\w]*\//, '$1/'))
    return short.filter((name) => name !== '' && !foreign.test(name))
  }

  /** Returns what `dayfly sweep` finds at the forge. */
  async function sweep(): Promise<string> {
    const { forge, operator } = stage()
    const token = ['--github-token-file', operator.file(forge.token)]
    const near = await forge.nearby()
    return await operator.dayfly('sweep', '--github-url', near.url, ...token, '--json').finally(near.close)
  }

  /** Uninstalls in each way at the same time. Returns the seconds of each. */
  async function removeAll(prefix: string): Promise<Readonly<Record<string, number>>> {
    const entries = Object.entries(ways).map(async ([way, steps], index) => {
      const namespace = `${prefix}-${index}`
      const started = clock.now()
      for (const step of steps) await take(step, namespace)
      // A controller that was not uninstalled stays, with its own objects.
      const isWhole = steps.some((step) => step === 'controller' || step === 'namespace')
      const goes = isWhole ? /./ : new RegExp(`^runnerset/|/${namespace}-`)
      await settle(
        () => left(namespace),
        (names) => !names.some((name) => goes.test(name)),
        2 * boundMs,
      )
      return [way, (clock.now() - started) / 1_000] as const
    })
    return Object.fromEntries(await Promise.all(entries))
  }

  async function enterAll(prefix: string): Promise<void> {
    await Promise.all(Object.keys(ways).map((_, index) => settleIn(`${prefix}-${index}`)))
  }

  describe.each(['reachable', 'unreachable', 'revoked'] as const)('while the forge is %s', (state) => {
    beforeAll(() => enterAll(state))

    it('ends within 60 s and leaves nothing in the cluster', async () => {
      const { forge } = stage()
      if (state === 'unreachable') await forge.vanish()
      const allow = state === 'revoked' ? forge.revoke() : undefined
      const seconds = await removeAll(state).finally(async () => {
        allow?.()
        if (state === 'unreachable') await forge.appear()
      })
      process.stdout.write(`uninstall with the forge ${state}: ${JSON.stringify(seconds)}\n`)
      expect(Math.max(...Object.values(seconds))).toBeLessThan(boundMs / 1_000)
      if (state === 'reachable')
        await settle(
          async () => forge.registered(`${state}-0`),
          (names) => names.length === 0,
        )
      // An unreachable forge keeps its registrations.
      else expect(await sweep()).toEqual(expect.stringContaining(forge.registered(`${state}-0`)[0] ?? 'a registration'))
    })
  })

  it('ends within 60 s if the definition of RunnerSet is deleted first', async () => {
    const { node } = stage()
    await settleIn('kindless')
    const started = clock.now()
    await node.kubernetes.delete(crds, { name: 'runnersets.dayfly.dev' })
    await settle(
      () => node.get(crds, undefined, 'runnersets.dayfly.dev'),
      (gone) => gone === undefined,
    )
    const uninstall = (release: string) =>
      stage().operator.helm('uninstall', release, '-n', 'kindless', '--wait', '--timeout', '60s')
    await uninstall('runners')
    await uninstall('dayfly')
    await settle(
      () => left('kindless'),
      (names) => names.length === 0,
      2 * boundMs,
    )
    expect(clock.now() - started).toBeLessThan(boundMs)
  })
}

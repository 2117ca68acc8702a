// Tests a stuck uninstall of ARC on a real node. The controller is gone, and one of the running pods is busy.
import type { KubeObject, Resource } from '@dayfly/kubernetes/types'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { object } from '../client-place.ts'
import { type CustomKinds, defineCustomKinds } from '../custom-kinds.ts'
import { ephemeralRunnerSets, ephemeralRunners, heldIn, ownerOf, scaleSets } from '../incidents.ts'
import { findingsIn } from '../live-doctor.ts'
import { nodeKubeconfig, nodePlace, whyNoNode } from './open-node.ts'

const file = nodeKubeconfig
if (file) describe('on a real node', () => suite(file))
else describe('on a real node', () => it('a stuck uninstall', (context) => context.skip(whyNoNode)))

function suite(kubeconfig: string): void {
  // The doctor runs without a namespace, because the controller may be in any namespace.
  const { node, doctor, repair } = nodePlace(kubeconfig)
  const namespace = 'uninstall'
  let kinds: CustomKinds | undefined
  beforeAll(async () => {
    kinds = await defineCustomKinds(node().kubernetes)
    await node().enter(namespace)
  })
  afterAll(async () => await kinds?.remove())

  async function make(resource: Resource, name: string, owner: KubeObject | undefined, fields: object = {}) {
    const { group, version, kind } = resource
    const finalizers = [`${kind.toLowerCase()}.actions.github.com/finalizer`]
    if (resource === ephemeralRunners) {
      finalizers.push('ephemeralrunner.actions.github.com/runner-registration-finalizer')
    }
    const owned = owner ? { ownerReferences: [ownerOf(owner)] } : {}
    const made = object(`${group}/${version}`, kind, { namespace, name, finalizers, ...owned }, fields)
    return (await node().kubernetes.create(resource, made)).object
  }

  it('is completed from the runners upwards, but a busy runner and its owners stay until it ends', async () => {
    const set = await make(scaleSets, 'linux', undefined)
    const below = await make(ephemeralRunnerSets, 'linux-set', set)
    for (const [name, seconds] of Object.entries({ 'linux-r1': 2, 'linux-r2': 2, 'linux-r3': 30 })) {
      const job = name === 'linux-r3' ? { jobRequestId: 77 } : {}
      const runner = await make(ephemeralRunners, name, below, { status: { runnerName: name, runnerId: 1, ...job } })
      const env = [{ name: 'WORK_SECONDS', value: String(seconds) }]
      const image = 'ghcr.io/actions/actions-runner:2.329.0'
      const containers = [{ name: 'runner', image, command: ['/home/runner/run.sh'], env }]
      const metadata = { name, ownerReferences: [ownerOf(runner)] }
      const spec = { restartPolicy: 'Never', containers }
      await node().apply(namespace, { apiVersion: 'v1', kind: 'Pod', metadata, spec })
    }
    const ended = /^Succeeded runner=Completed\(0\)$/
    const busy = /^Running runner=running,started,ready$/
    await node().becomes(namespace, ended, ended, busy)
    await node().kubernetes.delete(scaleSets, { namespace, name: 'linux' }, { propagationPolicy: 'Background' })
    const names = async () => (await heldIn(node().kubernetes, namespace)).map(({ name }) => name).sort()
    expect(findingsIn(await doctor(), namespace).join('\n')).toMatch(/FIN502 AutoscalingRunnerSet\/linux/)

    const first = await repair('--remove-finalizers')
    expect(first.planned).not.toMatch(/\d\. .*linux-r3/)
    expect(first.planned).toMatch(
      /not touched: EphemeralRunner uninstall\/linux-r3: it may be busy: its status at ARC names a job/,
    )
    expect(await names()).toEqual(['linux', 'linux-r3', 'linux-set'])
    await node().becomes(namespace, busy)

    await node().becomes(namespace, ended)
    const free = { type: 'merge', body: { status: { jobRequestId: 0 } } } as const
    await node().kubernetes.patch(ephemeralRunners, { namespace, name: 'linux-r3' }, free)
    expect((await repair('--remove-finalizers')).done).toMatch(/(\d+) of \1 steps done/)
    expect(await names()).toEqual([])
    await node().becomes(namespace)
  })
}

// A takeover from ARC at 150 ms of latency, cut after each step: the scale set stays, its jobs get runners, and nothing of ARC is left.
// The test plays ARC's controller, which scripts cannot build from public modules: it removes its objects in ARC's order.

import { gatherArc } from '@dayfly/controller/operate/takeover-arc/gather'
import { performArcTakeover } from '@dayfly/controller/operate/takeover-arc/perform'
import { planArcRollback, planArcTakeover } from '@dayfly/controller/operate/takeover-arc/plan'
import { runnerSets } from '@dayfly/controller/resources'
import { definitionOf } from '@dayfly/doctor/live/doctor-cluster.fixture'
import { connectClient, field, type TestClient } from '@dayfly/forge-emulators/github/test-client.fixture'
import { seededRandom } from '@dayfly/kit/random'
import { createKubernetes } from '@dayfly/kubernetes/client'
import { expect, test } from 'vitest'
import { namespace, openStage, podNames, queue, type Stage, status } from './stage.ts'

const kinds = {
  AutoscalingRunnerSet: 'autoscalingrunnersets',
  AutoscalingListener: 'autoscalinglisteners',
  EphemeralRunnerSet: 'ephemeralrunnersets',
  EphemeralRunner: 'ephemeralrunners',
} as const
type Kind = keyof typeof kinds
const resource = (kind: Kind) => `${kinds[kind]}.actions.github.com`
const own = 'arc/finalizer'
const idKey = 'runner-scale-set-id'

/** ARC with one set. It deletes the scale set last, if it still knows the id, and gives the id back to a set that is not being deleted. */
async function openArc({ registry, clock, emulator, url }: Stage, client: TestClient, id: string) {
  for (const kind of Object.keys(kinds) as Kind[])
    registry.create('customresourcedefinitions.apiextensions.k8s.io', definitionOf(kind, resource(kind)))
  const add = (kind: Kind, name: string, metadata: object, spec: object = {}) =>
    registry.create(resource(kind), {
      apiVersion: 'actions.github.com/v1alpha1',
      kind,
      metadata: { name, namespace, finalizers: [own], ...metadata },
      spec,
    })
  const set = add('AutoscalingRunnerSet', 'linux', { annotations: { [idKey]: id } }, { githubConfigUrl: url })
  const { apiVersion, kind, metadata } = set
  const ownerReferences = [{ apiVersion, kind, name: 'linux', uid: metadata.uid, controller: true }]
  add('EphemeralRunnerSet', 'linux-abc', { ownerReferences })
  const of = { autoscalingRunnerSetName: 'linux', autoscalingRunnerSetNamespace: namespace }
  add('AutoscalingListener', 'linux-1-listener', {}, of)
  const session = String(field(await client.session(Number(id)), 'sessionId'))
  const get = (of: Kind, name: string) => registry.get(resource(of), namespace, name)
  const free = (of: Kind, name: string) => {
    const object = get(of, name)
    const finalizers = object?.metadata.finalizers?.filter((one) => one !== own)
    if (object) registry.update(resource(of), { ...object, metadata: { ...object.metadata, finalizers } })
  }
  /** Returns whether the object is gone. */
  const remove = (of: Kind, name: string, onEnd = () => {}) => {
    const object = get(of, name)
    if (!object) return true
    if (object.metadata.deletionTimestamp === undefined) registry.delete(resource(of), namespace, name)
    else if (object.metadata.finalizers?.includes(own)) {
      onEnd()
      free(of, name)
    }
    return false
  }
  const endSession = () => void client.admin('DELETE', `_apis/runtime/runnerscalesets/${id}/sessions/${session}`)
  const reconcile = () => {
    const now = get('AutoscalingRunnerSet', 'linux')
    if (!now) return
    const { annotations, deletionTimestamp } = now.metadata
    if (deletionTimestamp === undefined) {
      const known = { ...now.metadata, annotations: { ...annotations, [idKey]: id } }
      if (annotations?.[idKey] === undefined)
        registry.update(resource('AutoscalingRunnerSet'), { ...now, metadata: known })
      return
    }
    if (!remove('AutoscalingListener', 'linux-1-listener', endSession)) return
    if (!remove('EphemeralRunnerSet', 'linux-abc')) return
    if (annotations?.[idKey] !== undefined) emulator.control.loseScaleSet(Number(id))
    free('AutoscalingRunnerSet', 'linux')
  }
  return {
    run: async (ms: number) => {
      for (let passed = 0; passed < ms; passed += 100) {
        if (passed % 1_000 === 0) reconcile()
        await clock.advance(100)
      }
    },
    exists: () => get('AutoscalingRunnerSet', 'linux') !== undefined,
  }
}

type Run = (ms: number) => Promise<void>

/** Lets time pass until the work is done. */
async function settle<T>(promise: Promise<T>, run: Run): Promise<T> {
  let isOver = false
  const watched = promise.finally(() => {
    isOver = true
  })
  while (!isOver) await run(1_000)
  return watched
}

/** ARC has the scale set that Dayfly's set had, and that one waits. Five jobs are queued. */
async function openTakeover() {
  const stage = await openStage({ forgeMs: 150, apiMs: 150 })
  const { clock, emulator, transport, controller } = stage
  const cluster = { kubernetes: createKubernetes({ transport, clock, random: seededRandom(2) }), clock }
  await clock.advance(5_000)
  const id = (status(stage)['forge'] as Record<string, string>)['scaleSetId'] ?? ''
  const plain = async (ms: number) => void (await clock.advance(ms))
  await settle(controller.stop(), plain)
  const clear = { type: 'merge', body: { status: { forge: null } } } as const
  const forget = cluster.kubernetes.patch(runnerSets, { namespace, name: 'linux' }, clear, { subresource: 'status' })
  await settle(forget, plain)
  const client = await settle(connectClient(emulator.transport, 'acme', 'token'), plain)
  const arc = await settle(openArc(stage, client, id), plain)
  stage.controller = stage.start('controller-2')
  await arc.run(90_000)
  queue(stage, 5)
  const facts = () => settle(gatherArc(cluster, namespace, []), arc.run)
  const annotations = () => stage.registry.get('runnersets.dayfly.dev', namespace, 'linux')?.metadata.annotations
  return { stage, cluster, id, arc, facts, annotations }
}

test.each([1, 2, 3, 4, 5, 6, 7])(
  'a takeover that is cut after each %i steps keeps the scale set and its jobs',
  async (stride) => {
    const { stage, cluster, id, arc, facts, annotations } = await openTakeover()
    const plans: number[] = []
    for (;;) {
      const plan = planArcTakeover(await facts(), false)
      expect(plan.untouched).toEqual([])
      if (plan.steps.length === 0) break
      plans.push(plan.steps.length)
      const cut = new AbortController()
      let done = 0
      const report = () => void (++done === stride && cut.abort())
      await settle(performArcTakeover({ ...cluster, signal: cut.signal }, plan.steps, report), arc.run)
    }
    expect(plans).toHaveLength(Math.ceil(7 / stride))
    await arc.run(30_000)
    expect(status(stage)['forge']).toMatchObject({ scaleSetId: id })
    expect(podNames(stage)).toHaveLength(5)
    expect(arc.exists()).toBe(false)
    expect(annotations()).toEqual({ 'dayfly.dev/taken-over': `${namespace}/linux` })
    // A set that is taken over stays known, and a mistyped name does not.
    const { unknown } = await settle(gatherArc(cluster, namespace, ['linux', 'linus']), arc.run)
    expect(unknown).toEqual(['linus'])
  },
)

test('a takeover that was cut before the deletion is given up, and ARC can end by itself', async () => {
  const { stage, cluster, arc, facts, annotations } = await openTakeover()
  const cut = new AbortController()
  let done = 0
  const report = () => void (++done === 2 && cut.abort())
  const { steps } = planArcTakeover(await facts(), false)
  await settle(performArcTakeover({ ...cluster, signal: cut.signal }, steps, report), arc.run)
  const rollback = planArcRollback(await facts())
  expect(rollback.steps.map((step) => step.does)).toEqual(['release', 'forget'])
  await settle(
    performArcTakeover(cluster, rollback.steps, () => {}),
    arc.run,
  )
  expect(planArcRollback(await facts())).toMatchObject({ steps: [], untouched: [] })
  expect(annotations()?.['dayfly.dev/takeover']).toBeUndefined()
  expect(arc.exists()).toBe(true)
  stage.registry.delete(resource('AutoscalingRunnerSet'), namespace, 'linux')
  await arc.run(30_000)
  expect(arc.exists()).toBe(false)
})

// Hazards of ARC's runner sets. ARC's controller does not run here; the states write its fields.
import { accountOf, accountUrl, registration } from '@dayfly/doctor/live/account.fixture'
import { arc, type LiveStage, pod, runner, work } from '../live-stage.fixture.ts'
import { type LiveState, minutes } from './state.fixture.ts'

const spec = { terminationGracePeriodSeconds: 3600, containers: [runner] }
const domain = 'actions.github.com'

const ownedBy = ({ apiVersion, kind, metadata }: Awaited<ReturnType<LiveStage['create']>>) => [
  { apiVersion, kind, name: metadata.name, uid: metadata.uid, controller: true, blockOwnerDeletion: true },
]

async function createRunner({ create }: LiveStage, status: object, hasPod = true): Promise<void> {
  const githubConfigUrl = accountUrl
  const owner = await create(arc('EphemeralRunner', { name: 'r' }, { spec: { githubConfigUrl, spec }, status }))
  if (hasPod) await create(pod('r', spec, { ownerReferences: ownedBy(owner) }))
}

async function createController({ create, patch }: LiveStage, tag: string): Promise<void> {
  const image = `ghcr.io/actions/gha-runner-scale-set-controller:${tag}`
  const labels = { 'app.kubernetes.io/part-of': 'gha-rs-controller' }
  const template = { metadata: { labels }, spec: { containers: [{ name: 'manager', image, command: ['/manager'] }] } }
  const metadata = { name: 'arc-gha-rs-controller', labels }
  await create({ kind: 'Deployment', metadata, spec: { selector: { matchLabels: labels }, template } })
  await patch('Deployment', metadata.name, { status: { replicas: 1, readyReplicas: 1 } })
}

/** The present EphemeralRunnerSet is `set-2`. */
async function createListener({ create }: LiveStage, ephemeralRunnerSetName: string) {
  const root = await create(arc('AutoscalingRunnerSet', { name: 'set' }, { spec: { template: { spec } } }))
  await create(arc('EphemeralRunnerSet', { name: 'set-2', ownerReferences: ownedBy(root) }))
  const names = { autoscalingRunnerSetNamespace: 'default', autoscalingRunnerSetName: 'set', ephemeralRunnerSetName }
  return create(arc('AutoscalingListener', { name: 'listener' }, { spec: names }))
}

export const arcStates: readonly LiveState[] = [
  {
    code: 'LIV306',
    what: 'the forge does not know a runner that runs',
    says: 'https://github.com/acme has no runner r: ',
    look: { account: accountOf([registration('another')]) },
    make: async (stage, isSick) => {
      await createRunner(stage, { phase: 'Running', runnerName: isSick ? 'r' : 'another' })
      await stage.clock.advance(11 * minutes)
      return 'EphemeralRunner r'
    },
  },
  {
    code: 'LIV306',
    what: "a runner's log ends with a conflict of sessions",
    says: 'its log ends with "A session for this runner already exists."',
    options: {
      scripts: { runner: { output: '√ Connected to GitHub\n\nA session for this runner already exists.\n' } },
    },
    look: { logs: true },
    make: async (stage, isSick) => {
      await createRunner(stage, { phase: 'Running', ...(isSick ? {} : { jobId: '7' }) })
      await stage.clock.advance(11 * minutes)
      return 'EphemeralRunner r'
    },
  },
  {
    code: 'LIV307',
    what: 'the forge has a runner that the cluster lost',
    look: {
      account: accountOf([
        registration('r', { set: '7', createdAt: 0, busy: true }),
        registration('lost', { set: '7', createdAt: 0 }),
        registration('elsewhere', { set: '8', createdAt: 0 }),
      ]),
    },
    make: async ({ create }, isSick) => {
      const annotations = { 'runner-scale-set-id': isSick ? '7' : '9' }
      const fields = { spec: { githubConfigUrl: accountUrl, template: { spec } } }
      await create(arc('AutoscalingRunnerSet', { name: 'set', annotations }, fields))
      return 'Registration lost'
    },
  },
  {
    code: 'ARC401',
    what: 'a runner has failed, and nobody says so',
    says: 'after 5 failed pods): Pod has failed to start more than 5 times',
    make: async (stage, isSick) => {
      const failures = Object.fromEntries([1, 2, 3, 4, 5].map((uid) => [`${uid}`, '2026-01-01T00:00:00Z']))
      const message = 'Pod has failed to start more than 5 times'
      const failed = { phase: 'Failed', reason: 'TooManyPodFailures', message, failures }
      await createRunner(stage, isSick ? failed : { phase: 'Running', jobDisplayName: 'build' }, !isSick)
      await stage.clock.advance(1 * minutes)
      return 'EphemeralRunner r'
    },
  },
  {
    code: 'ARC402',
    what: 'failed runners hold all slots of their set',
    along: ['ARC401 EphemeralRunner r0', 'ARC401 EphemeralRunner r1'],
    make: async ({ create }, isSick) => {
      const root = await create(
        arc('AutoscalingRunnerSet', { name: 'set' }, { spec: { maxRunners: 2, template: { spec } } }),
      )
      const set = await create(arc('EphemeralRunnerSet', { name: 'set-1', ownerReferences: ownedBy(root) }))
      const status = isSick ? { phase: 'Failed', reason: 'InvalidPod', message: 'no' } : { phase: 'Pending' }
      for (const name of ['r0', 'r1'])
        await create(arc('EphemeralRunner', { name, ownerReferences: ownedBy(set) }, { spec: { spec }, status }))
      return 'AutoscalingRunnerSet set'
    },
  },
  {
    code: 'ARC403',
    what: 'a runner is said to run and has no pod',
    make: async (stage, isSick) => {
      await createRunner(stage, { phase: 'Running', jobDisplayName: 'build' }, !isSick)
      await stage.clock.advance(11 * minutes)
      return 'EphemeralRunner r'
    },
  },
  {
    code: 'ARC404',
    what: 'the controller is of another version than its set',
    make: async (stage, isSick) => {
      await createController(stage, '0.13.0')
      const labels = { 'app.kubernetes.io/version': isSick ? '0.12.1' : '0.13.1' }
      await stage.create(arc('AutoscalingRunnerSet', { name: 'set', labels }, { spec: { template: { spec } } }))
      return 'AutoscalingRunnerSet set'
    },
  },
  {
    code: 'ARC406',
    what: 'a listener names a set that ARC has deleted',
    says: 'ARC makes a new one for set-2',
    make: async (stage, isSick) => {
      await createListener(stage, isSick ? 'set-1' : 'set-2')
      await stage.clock.advance(3 * minutes)
      return 'AutoscalingListener listener'
    },
  },
  {
    code: 'ARC407',
    what: 'the pods of a listener fail one after the other',
    make: async (stage, isSick) => {
      const listener = await createListener(stage, 'set-2')
      for (let pods = isSick ? 6 : 2; pods > 0; pods--) {
        await stage.create(pod('listener', { containers: [work] }, { ownerReferences: ownedBy(listener) }))
        await stage.clock.advance(20_000)
        await stage.remove('Pod', 'listener')
        await stage.clock.advance(40_000)
      }
      return 'AutoscalingListener listener'
    },
  },
  {
    code: 'FIN502',
    what: 'a runner set waits for a controller that is gone',
    says: 'AutoscalingRunnerSet set has waited 10 min for its deletion, which also blocks 1 EphemeralRunner, 1 EphemeralRunnerSet: only ARC',
    make: async (stage, isSick) => {
      const { create, remove, clock } = stage
      if (!isSick) await createController(stage, '0.13.0')
      const held = (kind: string) => [`${kind}.${domain}/finalizer`]
      const metadata = { name: 'set', finalizers: held('autoscalingrunnerset') }
      const root = await create(arc('AutoscalingRunnerSet', metadata, { spec: { template: { spec } } }))
      const below = { name: 'set-1', finalizers: held('ephemeralrunnerset'), ownerReferences: ownedBy(root) }
      const set = await create(arc('EphemeralRunnerSet', below))
      const last = { name: 'r', finalizers: held('ephemeralrunner'), ownerReferences: ownedBy(set) }
      await create(arc('EphemeralRunner', last, { spec: { spec }, status: { phase: 'Pending' } }))
      await remove('AutoscalingRunnerSet', 'set')
      await remove('EphemeralRunnerSet', 'set-1')
      await remove('EphemeralRunner', 'r')
      await clock.advance(10 * minutes)
      return 'AutoscalingRunnerSet set'
    },
  },
]

// The doctor on a cluster with ARC's recorded objects: its findings, plans and repairs, and the runners that still work.
import { runRules } from '@dayfly/doctor/engine/run-rules'
import { type GatherOptions, gatherLive } from '@dayfly/doctor/live/gather'
import { type Plan, planRepair } from '@dayfly/doctor/live/plan'
import { type PlanOptions, planDefaults } from '@dayfly/doctor/live/plan-options'
import { describeRemainder, lookAgain } from '@dayfly/doctor/live/remains'
import { repair } from '@dayfly/doctor/live/repair'
import { catalogue } from '@dayfly/doctor/rules/catalogue'
import { seededRandom } from '@dayfly/kit/random'
import { textAt } from '@dayfly/kit/read-json'
import { createKubernetes } from '@dayfly/kubernetes/client'
import { createInquiry } from '@dayfly/kubernetes/inquiry'
import { type ArcStageOptions, openArcStage, resourceOf } from './arc-objects.fixture.ts'

/** Every recorded kind in a namespace, except pods: the kubelet and their owners decide about those. */
const kinds = [
  ...['AutoscalingRunnerSet', 'AutoscalingListener', 'EphemeralRunnerSet', 'EphemeralRunner'],
  ...['Deployment', 'Secret', 'ServiceAccount', 'Role', 'RoleBinding'],
]

export type Doctor = Awaited<ReturnType<typeof openDoctor>>

type Access = Partial<Pick<GatherOptions, 'namespaces' | 'account'>>

export async function openDoctor(release: string, state: string, options: ArcStageOptions = {}) {
  const stage = await openArcStage(release, state, options)
  const { registry, registrations, doctorClock: clock } = stage
  const connection = { transport: stage.transport, clock, random: seededRandom(1) }
  const place = { kubernetes: createKubernetes(connection), inquiry: createInquiry(connection), clock }
  let stays: Plan['stays'] = []
  const examine = async (access: Access) => {
    const facts = await gatherLive({ ...place, account: stage.account, ...access })
    return { facts, hits: runRules(facts, catalogue).hits }
  }
  /** The findings, as `FIN502 AutoscalingRunnerSet linux`. */
  const look = async (access: Access = {}) =>
    (await examine(access)).hits.map(({ rule, hit }) => `${rule.code} ${hit.object.kind} ${hit.object.name}`)
  const plan = async (more: Partial<PlanOptions> = {}, access: Access = {}) => {
    const { facts, hits } = await examine(access)
    const found = hits.map(({ rule, hit }) => ({ rule: rule.slug, object: hit.object }))
    const made = planRepair(facts, found, { ...planDefaults, restoreDeclined: true, ...more })
    stays = [...stays, ...made.stays]
    return made
  }
  /** Returns the steps that are not done. Afterwards the cluster's own controllers and its kubelet have settled. */
  const carryOut = async (made: Plan, account = stage.account) => {
    const how = { ...place, account, confirmed: made.digest, keepImage: async () => {}, log: () => {} }
    const { entries } = await repair(made, how)
    await stage.clock.advance(120_000)
    return entries
      .filter(({ outcome }) => outcome !== 'done')
      .map(({ action, outcome, why }) => `${outcome} ${action}: ${why}`)
  }
  const pods = () =>
    registry
      .list('pods', 'arc-runners')
      .filter((pod) => textAt(pod, 'status', 'phase') === 'Running')
      .map(({ metadata }) => metadata)
  /** The runners that run now, by GitHub's word, as names with the uids of their pods. */
  const works = () => {
    const isBusy = (name: string) => registrations.find((one) => one.name === name)?.busy === true
    const named = pods().map(({ name, uid }) => [name, uid] as const)
    return { busy: named.filter(([name]) => isBusy(name)), idle: named.filter(([name]) => !isBusy(name)) }
  }
  /** Ends each busy runner as its job's end does: its container exits with 0, and GitHub drops the registration. */
  const endJobs = async () => {
    for (const { uid } of pods()) await stage.endRunner(uid)
    for (const one of registrations.splice(0)) if (one.busy !== true) registrations.push(one)
    await stage.clock.advance(60_000)
  }
  /** The recorded objects, and those made from them, that still exist. */
  const left = () =>
    kinds
      .flatMap((kind) =>
        ['arc-systems', 'arc-runners'].flatMap((namespace) =>
          registry
            .list(resourceOf({ kind }), namespace)
            .filter(({ metadata }) => metadata.name !== 'default')
            .map(({ metadata }) => `${kind} ${metadata.name}`),
        ),
      )
      .sort()
  /** The records that the plans listed and that GitHub still has. */
  const remains = async () => {
    const still = await lookAgain(stage.account, stays)
    return [...new Set(still.map(describeRemainder))]
  }
  return { stage, look, plan, carryOut, works, endJobs, left, remains }
}

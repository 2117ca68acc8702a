// `--live`: examines a cluster, shows the plan of a repair, and carries it out once the operator confirms its digest.
import { CliFailure } from '@dayfly/command-line/failure'
import { printNote, printResult } from '@dayfly/command-line/output'
import { version as tool } from '@dayfly/command-line/version'
import { openForge } from '@dayfly/forges/open/forge-access'
import { systemClock, systemRandom } from '@dayfly/kit/system'
import { createKubernetes } from '@dayfly/kubernetes/client'
import { clusterAccess, surroundings } from '@dayfly/kubernetes/command-line/cluster-access'
import { makeContact } from '@dayfly/kubernetes/command-line/first-contact'
import { connect } from '@dayfly/kubernetes/connect'
import { createInquiry, type Inquiry } from '@dayfly/kubernetes/inquiry'
import { createPodLogs } from '@dayfly/kubernetes/pod-logs'
import { doctorName } from '../doctor-name.ts'
import { forgeKinds } from '../live/ask-forge.ts'
import type { ClusterFacts } from '../live/cluster.ts'
import { examineLive } from '../live/examine.ts'
import { gatherLive } from '../live/gather.ts'
import { askPermissions, unasked } from '../live/permissions.ts'
import { draftRepair, planRepair } from '../live/plan.ts'
import { describeUnread } from '../live-facts.ts'
import { catalogue } from '../rules/catalogue.ts'
import { select } from './check-files.ts'
import type { DoctorOptions } from './options.ts'
import { render } from './render.ts'
import { carryOut, type RepairPlace } from './repair-cluster.ts'
import { planOptionsOf } from './repair-options.ts'
import { isFailure, type Settings, settingsOf } from './settings.ts'
import { offerPlan, showPlan } from './show-plan.ts'

/** Returns the exit code. */
export async function examineCluster(options: DoctorOptions): Promise<number> {
  const settings = await settingsOf([], options, process.cwd())
  const clock = systemClock()
  const random = systemRandom()
  const userAgent = `dayfly-doctor/${tool}`
  const around = surroundings()
  const access = await clusterAccess(options, around)
  const { account, close } = await openForge(options, { clock, random, userAgent }, around.environment)
  const connection = connect(access, clock)
  try {
    const caller = { transport: connection.transport, clock, random, userAgent }
    await makeContact(caller, 3)
    const place = { kubernetes: createKubernetes(caller), inquiry: createInquiry(caller), clock, account }
    const logs = options.logs && createPodLogs(caller)
    const namespaces = options.namespace === undefined ? undefined : [options.namespace]
    const facts = await gatherLive({ ...place, logs, namespaces, version: options.kubernetesVersion })
    return await report(facts, place, options, settings)
  } finally {
    await Promise.all([connection.close(), close()])
  }
}

type Place = RepairPlace & { readonly inquiry: Inquiry }

async function report(facts: ClusterFacts, place: Place, options: DoctorOptions, settings: Settings): Promise<number> {
  if (facts.objects.length === 0) refuseUnreadable(facts)
  const checked = select(examineLive(facts, catalogue), options, settings)
  printResult(render(options, { live: true, checked, version: facts.version }))
  if (options.fix) {
    const drafts = draftRepair(facts, checked.findings, planOptionsOf(options, unasked))
    const permissions = await askPermissions(place.inquiry, drafts)
    const plan = planRepair(facts, checked.findings, planOptionsOf(options, permissions))
    showPlan(plan, permissions)
    if (options.confirm !== undefined) return carryOut(plan, place, options.confirm)
    offerPlan(plan)
  }
  if (isFailure(checked.findings, settings) && options.format !== 'sarif') return 1
  if (checked.coverage.unread.length > 0) return 4
  return checked.findings.length === 0 && isEmpty(facts) ? reportEmpty(facts) : 0
}

/** Whether no object is in the examined namespaces. Objects without a namespace, such as nodes, always exist. */
function isEmpty({ objects, live }: ClusterFacts): boolean {
  return !objects.some(({ object }) => live.namespaces?.includes(object.namespace ?? '') ?? true)
}

function reportEmpty({ live }: ClusterFacts): number {
  const where = live.namespaces === undefined ? 'the cluster' : `the namespace ${live.namespaces.join(', ')}`
  printNote(`nothing was analysed: no object was found in ${where}`)
  return 3
}

/** Throws if the cluster answered no list at all. */
function refuseUnreadable({ live }: ClusterFacts): void {
  for (const [kind, unread] of Object.entries(live.unreadable)) {
    if (unread.is === 'optional' || forgeKinds.includes(kind)) continue
    throw new CliFailure({
      code: 'cluster-unreadable',
      sentence: `Nothing of the cluster could be read; ${kind}: ${describeUnread(unread)}.`,
      next: `Check the address and the credentials. "${doctorName} rbac" prints the role that reading needs; -n examines one namespace alone.`,
      exitCode: 3,
    })
  }
}

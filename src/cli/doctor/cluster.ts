// `--live`: examines a cluster, shows what a repair would do, and does exactly that once its digest is confirmed.
import { runRules, toFinding } from '../../doctor/engine.ts'
import { forgeKinds } from '../../doctor/live/ask-forge.ts'
import type { ClusterFacts } from '../../doctor/live/cluster.ts'
import { gatherLive, withoutRight } from '../../doctor/live/gather.ts'
import { askPermissions, unasked } from '../../doctor/live/permissions.ts'
import { draftRepair, planRepair } from '../../doctor/live/plan.ts'
import { count } from '../../doctor/reporters/wording.ts'
import { catalogue } from '../../doctor/rules/catalogue.ts'
import { createKubernetes } from '../../kubernetes/client.ts'
import { connect } from '../../kubernetes/connect.ts'
import { createInquiry, type Inquiry } from '../../kubernetes/inquiry.ts'
import { createPodLogs } from '../../kubernetes/pod-logs.ts'
import { systemClock, systemRandom } from '../../lib/system.ts'
import { clusterAccess, surroundings } from '../cluster-access.ts'
import { CliFailure } from '../failure.ts'
import { printNote, printResult } from '../output.ts'
import { version as tool } from '../version.ts'
import { type Checked, sift } from './check-files.ts'
import { makeContact } from './first-contact.ts'
import { openForge } from './forge-access.ts'
import type { DoctorOptions } from './options.ts'
import { render } from './render.ts'
import { carryOut, type RepairPlace } from './repair-cluster.ts'
import { planOptionsOf } from './repair-options.ts'
import { offer, showPlan } from './show-plan.ts'

/** The exit code. */
export async function examineCluster(options: DoctorOptions): Promise<number> {
  const clock = systemClock()
  const random = systemRandom()
  const userAgent = `dayfly-doctor/${tool}`
  const around = surroundings()
  const access = await clusterAccess(options, around)
  const { account, close } = await openForge(options, { clock, random, userAgent }, around.environment)
  const connection = connect(access, clock)
  try {
    const caller = { transport: connection.transport, clock, random, userAgent }
    await makeContact(caller)
    const place = { kubernetes: createKubernetes(caller), inquiry: createInquiry(caller), clock, account }
    const logs = options.logs && createPodLogs(caller)
    const namespaces = options.namespace === undefined ? undefined : [options.namespace]
    const facts = await gatherLive({ ...place, logs, namespaces, version: options.kubernetesVersion })
    return await tell(facts, place, options)
  } finally {
    await Promise.all([connection.close(), close()])
  }
}

type Place = RepairPlace & { readonly inquiry: Inquiry }

async function tell(facts: ClusterFacts, place: Place, options: DoctorOptions): Promise<number> {
  const gap = Object.entries(facts.live.unreadable).find(
    ([kind, why]) => !forgeKinds.includes(kind) && why !== withoutRight,
  )
  if (facts.objects.length === 0 && gap) throw unreachable(...gap)
  const checked = check(facts, options)
  printResult(render(options.format, { checked, files: [], version: facts.version, live: true }))
  if (options.fix) {
    const drafts = draftRepair(facts, checked.findings, planOptionsOf(options, unasked))
    const permissions = await askPermissions(place.inquiry, drafts)
    const plan = planRepair(facts, checked.findings, planOptionsOf(options, permissions))
    showPlan(plan, permissions)
    if (options.confirm !== undefined) return carryOut(plan, place, options.confirm)
    offer(plan)
  }
  if (checked.findings.length > 0 && options.format !== 'sarif') return 1
  if (checked.coverage.skipped.length > 0) return 4
  return isEmpty(facts) ? tellEmpty(facts) : 0
}

/** Of the cluster's own objects there are always some. */
function isEmpty({ objects, live }: ClusterFacts): boolean {
  return !objects.some(({ object }) => live.namespaces?.includes(object.namespace ?? '') ?? true)
}

function tellEmpty({ live }: ClusterFacts): number {
  const where = live.namespaces === undefined ? 'the cluster' : `the namespace ${live.namespaces.join(', ')}`
  printNote(`nothing was analysed: no object was found in ${where}`)
  return 3
}

function check(facts: ClusterFacts, options: DoctorOptions): Checked {
  const { hits, skippedRules } = runRules(facts, catalogue)
  const { unreadable, logs } = facts.live
  const unread = logs?.unread ? [['pods/log', `${count(logs.unread, 'more runner')} that may wait in vain`]] : []
  const gaps = [...Object.entries(unreadable), ...unread].map(([file = '', reason = '']) => ({
    file,
    line: undefined,
    reason,
  }))
  const examination = {
    findings: hits.map(toFinding),
    suppressed: [],
    unusedSuppressions: [],
    coverage: {
      files: { seen: 0, decoded: 0 },
      objects: facts.objects.length,
      pods: facts.pods.length,
      skipped: gaps.filter(({ reason }) => reason !== withoutRight),
      leftOut: gaps.flatMap((gap) =>
        gap.reason === withoutRight ? { ...gap, reason: `${gap.file}, ${gap.reason}` } : [],
      ),
      charts: [],
    },
    skippedRules,
  }
  return sift(examination, options)
}

function unreachable(kind: string, reason: string): CliFailure {
  return new CliFailure({
    code: 'cluster-unreadable',
    sentence: `Nothing of the cluster could be read; ${kind}: ${reason}.`,
    next: 'Check the address and the credentials; "dayfly doctor rbac" prints the role that reading needs, and -n takes one namespace alone.',
    exitCode: 3,
  })
}

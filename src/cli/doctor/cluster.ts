// `--live`: examines a cluster, shows what a repair would do, and does exactly that once its digest is confirmed.
import { appendFileSync } from 'node:fs'
import path from 'node:path'
import { runRules, toFinding } from '../../doctor/engine.ts'
import type { Facts, LiveFacts } from '../../doctor/facts.ts'
import { gatherLive } from '../../doctor/live/gather.ts'
import { keepImagesIn } from '../../doctor/live/keep-image.ts'
import { type Plan, planRepair } from '../../doctor/live/plan.ts'
import { planDefaults } from '../../doctor/live/plan-options.ts'
import { repair } from '../../doctor/live/repair.ts'
import { describe } from '../../doctor/live/step.ts'
import { catalogue } from '../../doctor/rules/catalogue.ts'
import { createKubernetes } from '../../kubernetes/client.ts'
import { connect } from '../../kubernetes/connect.ts'
import type { Kubernetes } from '../../kubernetes/kubernetes.ts'
import { systemClock, systemRandom } from '../../lib/system.ts'
import { clusterAccess, surroundings } from '../cluster-access.ts'
import { CliFailure } from '../failure.ts'
import { printNote, printResult } from '../output.ts'
import { version as tool } from '../version.ts'
import { type Checked, loadBaseline, sift } from './check-files.ts'
import type { DoctorOptions } from './options.ts'
import { render } from './render.ts'

/** The exit code. */
export async function examineCluster(options: DoctorOptions): Promise<number> {
  const clock = systemClock()
  const connection = connect(await clusterAccess(options, surroundings()), clock)
  try {
    const userAgent = `dayfly-doctor/${tool}`
    const kubernetes = createKubernetes({ transport: connection.transport, clock, random: systemRandom(), userAgent })
    const namespaces = options.namespace === undefined ? undefined : [options.namespace]
    const facts = await gatherLive({ kubernetes, clock, namespaces, version: options.kubernetesVersion })
    const { live } = facts
    if (!live) throw new Error('the facts of a cluster are live')
    return await tell({ ...facts, live }, kubernetes, options)
  } finally {
    await connection.close()
  }
}

/** As gatherLive says it: a kind without a definition has no objects, so nothing was missed. */
const notInstalled = 'the API server does not know this kind'

type LiveCluster = Facts & { readonly live: LiveFacts }

async function tell(facts: LiveCluster, kubernetes: Kubernetes, options: DoctorOptions): Promise<number> {
  if (facts.objects.length === 0 && Object.keys(facts.live.unreadable).length > 0) throw unreachable(facts.live)
  const checked = check(facts, options)
  printResult(render(options.format, { checked, files: [], version: facts.version }))
  if (options.fix) {
    const plan = planRepair(facts, checked.findings, planDefaults)
    showPlan(plan)
    if (options.confirm !== undefined) return carryOut(plan, kubernetes, options.confirm)
    offer(plan)
  }
  if (checked.findings.length > 0 && options.format !== 'sarif') return 1
  return checked.coverage.skipped.length > 0 ? 4 : 0
}

function check(facts: LiveCluster, options: DoctorOptions): Checked {
  const { hits, skippedRules } = runRules(facts, catalogue)
  const skipped = Object.entries(facts.live.unreadable).flatMap(([kind, reason]) =>
    reason === notInstalled
      ? []
      : {
          file: kind,
          line: undefined,
          reason,
        },
  )
  const examination = {
    findings: hits.map(toFinding),
    suppressed: [],
    unusedSuppressions: [],
    coverage: {
      files: { seen: 0, decoded: 0 },
      objects: facts.objects.length,
      pods: facts.pods.length,
      skipped,
      leftOut: [],
    },
    skippedRules,
  }
  return sift(examination, options, options.baseline === undefined ? undefined : loadBaseline(options.baseline))
}

/** To stderr: the result is the report. */
function showPlan({ steps, refused, guided, stays, deferred, blocked, digest }: Plan): void {
  printNote(steps.length === 0 ? 'plan: nothing to do' : `plan ${digest}:`)
  for (const { id, action, evidence } of steps) printNote(`  ${id}. ${describe(action)}, for ${evidence.says}`)
  for (const { object, because } of refused) printNote(`  not touched: ${object.kind} ${object.name}: ${because}`)
  for (const line of handWork(guided)) printNote(`  by hand: ${line}`)
  for (const what of stays) printNote(`  stays: ${what}`)
  if (deferred > 0) printNote(`  ${deferred} objects are left for the next run`)
  if (blocked !== undefined) printNote(`  blocked: ${blocked}`)
}

/** One line for each advice of a rule, however many objects it is for: runners come from few templates. */
function handWork(guided: Plan['guided']): readonly string[] {
  const objects = new Map<string, Set<string>>()
  for (const { rule, object, advice } of guided) {
    const key = `${rule}: ${advice}`
    const place = object.namespace === undefined ? '' : `${object.namespace}/`
    objects.set(key, (objects.get(key) ?? new Set()).add(`${object.kind} ${place}${object.name}`))
  }
  return [...objects].map(([line, names]) => {
    const [first = ''] = names
    const more = names.size > 1 ? ` and ${names.size - 1} more` : ''
    return `${first}${more}, ${line}`
  })
}

function offer({ steps, blocked, digest }: Plan): void {
  if (blocked !== undefined || steps.length === 0) return
  printNote(`nothing is done yet; to do exactly this: --live --fix --confirm ${digest}`)
}

async function carryOut(plan: Plan, kubernetes: Kubernetes, confirmed: string): Promise<number> {
  const images = path.resolve(`dayfly-doctor-${confirmed}.images.jsonl`)
  const log = path.resolve(`dayfly-doctor-${confirmed}.log.jsonl`)
  const outcome = await repair(plan, {
    kubernetes,
    clock: systemClock(),
    link: undefined,
    confirmed,
    keepImage: keepImagesIn(images),
    log: (entry) => {
      appendFileSync(log, `${JSON.stringify(entry)}\n`, { mode: 0o600 })
      printNote(`  ${entry.step}. ${entry.outcome}: ${entry.action}${entry.why === '' ? '' : ` (${entry.why})`}`)
    },
  })
  if (outcome.refused !== undefined) {
    printNote(`refused: ${outcome.refused}`)
    return 5
  }
  if (outcome.entries.length > 0) printNote(`what was done: ${log}; the objects as they were: ${images}`)
  return outcome.entries.every((entry) => entry.outcome === 'done') ? 0 : 5
}

function unreachable({ unreadable }: LiveFacts): CliFailure {
  const [kind, reason] = Object.entries(unreadable)[0] ?? ['', '']
  return new CliFailure({
    code: 'cluster-unreadable',
    sentence: `Nothing of the cluster could be read; ${kind}: ${reason}.`,
    next: 'Check the address and the credentials; "dayfly doctor rbac" prints the role that reading needs, and -n takes one namespace alone.',
    exitCode: 1,
  })
}

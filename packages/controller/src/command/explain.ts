// `dayfly explain`: why a set, a runner or a job waits, what happened to it, and the next step.
import { CliFailure } from '@dayfly/command-line/failure'
import { columnsOf, printJson, printResult } from '@dayfly/command-line/output'
import { programName } from '@dayfly/command-line/program-name'
import { nearest } from '@dayfly/kit/nearest'
import { defaultLimits } from '@dayfly/runner-set/model/limits'
import { Command } from 'commander'
import { readEvents } from '../operate/events.ts'
import { findSubjects, type Subject, type SubjectKind } from '../operate/find-subject.ts'
import { readJobPods, withJobPods } from '../operate/job-pods.ts'
import { readLeaders } from '../operate/leader.ts'
import { judge } from '../operate/overview.ts'
import { planOf } from '../operate/plan.ts'
import { faultsIn } from '../operate/problems.ts'
import { orUnknown } from '../operate/read.ts'
import { explanationOf, explanationOfGone, type RunnerExplanation } from '../operate/runner-explanation.ts'
import { readSets, type SetView } from '../operate/set-view.ts'
import { readSituation } from '../operate/situation.ts'
import { type ClusterOptions, type Opened, onCluster, withCluster } from './options.ts'
import { requireNamespace } from './require-namespace.ts'
import {
  type ExplainedRunner,
  type ExplainedSet,
  runnerJson,
  runnerLines,
  setJson,
  setLines,
  unservedJobJson,
  unservedJobLines,
} from './show-explanation.ts'

export function explainCommand(): Command {
  const dayfly = programName()
  return withCluster(new Command('explain'))
    .description('Explains a runner set, a runner or a job: why it waits, what happened, and the next step.')
    .argument('<name>', 'the name of a set or runner, or the name or id of a job; also set/NAME, runner/NAME, job/NAME')
    .addHelpText(
      'after',
      `
Examples:
  ${dayfly} explain linux -n ci                     why the set starts no runner
  ${dayfly} explain linux-4f1c2-x7k2m9q4zt -n ci    what happened to one runner, also if it is gone
  ${dayfly} explain job/build -A                    which runner took a job, and how it ended

A set remembers the last 50 jobs of its runners. A job that still waits has no runner: explain its set.
A job that no set can have is known where the forge shows its whole queue: explain it by its name.
Exit codes: 0 nothing is wrong, 1 something is wrong, 2 wrong usage or no such thing.`,
    )
    .action((name: string, options: ClusterOptions) =>
      onCluster(options, async (opened) => {
        process.exitCode = await explain(opened, name, options)
      }),
    )
}

async function explain(opened: Opened, given: string, options: ClusterOptions): Promise<number> {
  const asked = readName(given)
  const sets = await readSets(opened, opened.namespace)
  const [subject, ...others] = await findSubjects(opened, sets, asked)
  if (!subject) {
    if (sets.length === 0) await requireNamespace(opened)
    throw unknownName(asked.name, sets, opened)
  }
  const isOfJob = subject.is === 'unserved' || (subject.is === 'runner' && subject.byJob)
  if (others.length > 0 && !isOfJob) throw ambiguous(asked.name, [subject, ...others])
  if (subject.is === 'set') return showSet(await explainSet(opened, subject.view), options)
  return explainJobs(opened, [subject, ...others], options)
}

/** A job that ran twice has two runners, and one that no set can have has none. */
async function explainJobs(opened: Opened, found: readonly Subject[], options: ClusterOptions): Promise<number> {
  const explained: ExplainedRunner[] = []
  for (const one of found) if (one.is === 'runner') explained.push(await explainRunner(opened, one))
  const unserved = found.filter((one) => one.is === 'unserved')
  const width = columnsOf()
  const parts = [
    ...explained.map((one) => runnerLines(one, width)),
    ...unserved.map((one) => unservedJobLines(one, width)),
  ]
  if (options.json) {
    printJson({
      runners: explained.map(runnerJson),
      ...(unserved.length > 0 ? { unserved: unserved.map(unservedJobJson) } : {}),
    })
  } else printResult(`${parts.map((lines) => lines.join('\n')).join('\n\n')}\n`)
  return unserved.length > 0 || explained.some(({ explanation }) => explanation.problem) ? 1 : 0
}

function readName(given: string): { readonly kind: SubjectKind | undefined; readonly name: string } {
  const [, kind, name] = /^(set|runnerset|rset|runner|pod|job)\/(.+)$/.exec(given) ?? []
  const kinds = { set: 'set', runnerset: 'set', rset: 'set', runner: 'runner', pod: 'runner', job: 'job' } as const
  return name === undefined ? { kind: undefined, name: given } : { kind: kinds[kind as keyof typeof kinds], name }
}

async function explainSet(opened: Opened, view: SetView): Promise<ExplainedSet> {
  const leaders = await readLeaders(opened, opened.lease, [view.namespace])
  const judged = judge(view, leaders, opened.clock.now())
  const { namespace, name, uid } = view
  const events = await orUnknown(readEvents(opened, { namespace, name, uid }))
  const now = opened.clock.now()
  if (!view.set) return { judged, plan: undefined, living: new Set(), events, now }
  const situation = await readSituation(
    opened,
    { view, set: view.set, work: judged.work, forge: undefined },
    defaultLimits,
  )
  const running = situation.pods.filter(({ observed }) => !observed.facts.end)
  const living = new Set(running.map(({ observed }) => observed.name))
  return { judged, plan: planOf(situation, defaultLimits, now), living, events, now }
}

function showSet(explained: ExplainedSet, options: ClusterOptions): number {
  if (options.json) printJson(setJson(explained))
  else printResult(`${setLines(explained, columnsOf()).join('\n')}\n`)
  return faultsIn(explained.judged.problems).length > 0 ? 1 : 0
}

async function explainRunner(opened: Opened, subject: Extract<Subject, { is: 'runner' }>): Promise<ExplainedRunner> {
  const { view, name } = subject
  const explanation = await explanationOfRunner(opened, subject)
  return {
    view,
    name,
    explanation,
    pod: subject.pod?.pod,
    job: subject.job,
    events: subject.events,
    now: opened.clock.now(),
  }
}

async function explanationOfRunner(
  opened: Opened,
  { view, name, pod }: Extract<Subject, { is: 'runner' }>,
): Promise<RunnerExplanation> {
  const jobs = view.jobs.filter((one) => one.runner === name)
  const gone = explanationOfGone(jobs, opened.clock.now())
  if (!pod || !view.set) return gone
  const leaders = await readLeaders(opened, opened.lease, [view.namespace])
  const { work } = judge(view, leaders, opened.clock.now())
  const situation = await readSituation(opened, { view, set: view.set, work, forge: undefined }, defaultLimits)
  const runner = situation.state.table.get(name)
  if (!runner) return gone
  const explanation = explanationOf(runner, jobs, { view, limits: defaultLimits, now: opened.clock.now() })
  if (view.set.jobs === 'host') return explanation
  const jobPods = await readJobPods(opened, { namespace: view.namespace, name })
  return withJobPods(explanation, jobPods, { startMaxMs: view.set.startMaxMs, now: opened.clock.now() })
}

function unknownName(name: string, sets: readonly SetView[], { namespace }: Opened): CliFailure {
  const jobs = sets.flatMap((view) => view.jobs.flatMap((job) => [job.name, job.id]))
  const guess = nearest(name, [...sets.map((view) => view.name), ...jobs.filter(Boolean)])
  const waiting = sets.filter(({ demand = 0, busy = 0 }) => demand > busy).map((view) => view.name)
  const where = namespace === undefined ? 'in this cluster' : `in the namespace ${namespace}`
  const next = guess
    ? `Did you mean "${guess}"?`
    : waiting.length > 0
      ? `A job that waits has no runner yet. Jobs wait for: ${waiting.slice(0, 5).join(', ')}. Explain that set.`
      : 'Check the name, and search all namespaces with -A. A set remembers its last 50 jobs, and Events last one hour.'
  return new CliFailure({ code: 'name-unknown', sentence: `No set, runner or job "${name}" is known ${where}.`, next })
}

function ambiguous(name: string, subjects: readonly Subject[]): CliFailure {
  const where = subjects.map(({ view }) => `${view.namespace}/${view.name}`).join(', ')
  const sentence = `"${name}" can mean several things: ${where}.`
  return new CliFailure({ code: 'name-ambiguous', sentence, next: 'Name the namespace with -n.' })
}

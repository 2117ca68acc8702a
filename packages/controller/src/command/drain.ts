// `dayfly drain`: pauses a set and shows progress until its last runner has ended.
import { CliFailure } from '@dayfly/command-line/failure'
import { printJson, printLine, printNote } from '@dayfly/command-line/output'
import { programName } from '@dayfly/command-line/program-name'
import { untilInterrupted } from '@dayfly/command-line/until-interrupted'
import { ageText, counted } from '@dayfly/kit/age-text'
import { Command, Option } from 'commander'
import { drainProgress, type Progress, setPaused } from '../operate/drain.ts'
import type { SetView } from '../operate/set-view.ts'
import { durationOf } from './duration.ts'
import { namedSet } from './named-set.ts'
import { type ClusterOptions, type Opened, onCluster, withCluster } from './options.ts'

type Options = ClusterOptions & { readonly timeout?: number; readonly resume?: true; readonly wait: boolean }

const everyMs = 1_000

export function drainCommand(): Command {
  const dayfly = programName()
  return withCluster(new Command('drain'))
    .description('Pauses a runner set: no new runner starts, idle ones are removed, and busy ones finish.')
    .argument('<set>', 'the set')
    .addOption(new Option('--timeout <duration>', 'wait at most this long, for example 30m').argParser(durationOf))
    .option('--no-wait', 'pause the set and return at once')
    .option('--resume', 'let the set start runners again')
    .addHelpText(
      'after',
      `
Examples:
  ${dayfly} drain linux -n ci                  wait until the last runner has ended
  ${dayfly} drain linux -n ci --timeout 30m    exit with 1 if runners are left then
  ${dayfly} drain linux -n ci --resume         start runners again

The set stays paused until --resume, also after Ctrl-C or a timeout. Jobs wait at the forge meanwhile.
Exit codes: 0 no runner is left (or resumed, or --no-wait), 1 runners are left, 2 wrong usage or no such set,
130 interrupted: the set goes on draining.`,
    )
    .action((name: string, options: Options) =>
      onCluster(options, async (opened) => {
        const view = await namedSet(opened, name)
        process.exitCode = options.resume ? await resume(opened, view, options) : await drain(opened, view, options)
      }),
    )
}

async function resume(opened: Opened, view: SetView, options: Options): Promise<number> {
  const stored = view.paused ? await setPaused(opened, view, false) : view
  report(options, 'resumed', view, `${nameOf(view)} ${view.paused ? 'starts runners again' : 'was not paused'}.`)
  if (stored.max === 0) printNote('spec.scale.max is 0, which pauses the set, too.')
  return 0
}

async function drain(opened: Opened, view: SetView, options: Options): Promise<number> {
  const stored = view.paused ? view : await setPaused(opened, view, true)
  if (!stored.paused) throw unsupported()
  if (!options.wait) {
    report(options, 'draining', view, `${nameOf(view)} is paused and drains.`)
    return 0
  }
  printNote(
    `${nameOf(view)} ${view.paused ? 'was paused already' : 'is paused'}; waiting until its runners have ended.`,
  )
  const code = await untilInterrupted((signal) => follow({ ...opened, signal }, view, options))
  if (code > 128) printNote(interruptedText(view))
  return code
}

/** Prints a line whenever the progress changes. */
async function follow(opened: Opened, view: SetView, options: Options): Promise<number> {
  const { clock, signal } = opened
  const begun = clock.now()
  let shown = ''
  for (;;) {
    const progress = await drainProgress(opened, view, opened.lease)
    if (progress.is !== 'draining') return finish(progress, view, options)
    const text = progressText(progress)
    if (text !== shown) printNote(text)
    shown = text
    const left = options.timeout === undefined ? everyMs : begun + options.timeout - clock.now()
    if (left <= 0) throw timedOut(progress, view, clock.now() - begun)
    await clock.sleep(Math.min(everyMs, left), signal)
  }
}

function finish({ is, kept }: Progress, view: SetView, options: Options): number {
  if (is === 'resumed') throw resumedByOther(view)
  const more = kept > 0 ? ` ${counted(kept, 'ended pod')} ${kept === 1 ? 'is' : 'are'} kept for debugging.` : ''
  report(options, is, view, is === 'gone' ? `${nameOf(view)} was deleted.` : `${nameOf(view)} is drained.${more}`)
  return 0
}

function progressText({ pods, busy, held }: Progress): string {
  const left =
    pods === 0 ? 'no pod is left; waiting for the controller to confirm it' : `${counted(pods, 'runner')} left`
  const jobs = pods === 0 ? '' : ` (${busy ?? '?'} busy)`
  return held === undefined ? `  ${left}${jobs}` : `  ${left}${jobs}. ${held}`
}

function report({ json }: Options, state: string, { namespace, name }: SetView, text: string): void {
  if (json) printJson({ namespace, name, state })
  else printLine(text)
}

function nameOf({ namespace, name }: SetView): string {
  return `${namespace}/${name}`
}

function interruptedText({ namespace, name }: SetView): string {
  return `interrupted: ${namespace}/${name} stays paused and goes on draining. "${programName()} drain ${name} -n ${namespace} --resume" ends that.`
}

function timedOut({ pods, held }: Progress, view: SetView, ms: number): CliFailure {
  const { namespace, name } = view
  const why = held === undefined ? '' : ` ${held}`
  return new CliFailure({
    code: 'drain-timeout',
    sentence: `${nameOf(view)} still has ${counted(pods, 'runner')} after ${ageText(ms)}.${why}`,
    next: `It stays paused and goes on draining. "${programName()} explain ${name} -n ${namespace}" shows what runs.`,
    exitCode: 1,
  })
}

function resumedByOther(view: SetView): CliFailure {
  return new CliFailure({
    code: 'drain-ended',
    sentence: `Another client set spec.paused of ${nameOf(view)} back.`,
    next: 'Find the client, for example Argo CD or Flux, and set spec.paused where it reads the set from.',
    exitCode: 1,
  })
}

function unsupported(): CliFailure {
  return new CliFailure({
    code: 'pause-unsupported',
    sentence: 'The API server dropped spec.paused: its definition of RunnerSet is older than this program.',
    next: 'Update the definition (docs/guide/upgrade.md). Until then, spec.scale.max 0 pauses the set.',
    exitCode: 1,
  })
}

// Makes RunnerSets of the official autoscaler's configuration and job template, and a report that names every path of both.
import type { JsonObject } from '@dayfly/kit/read-json'
import { parseRunnerSet } from '@dayfly/runner-set/config/runner-set'
import { type Configuration, type Group, type Mode, readConfiguration } from './configuration.ts'
import { readDefaultPod } from './convert/default-pod.ts'
import { createLedger, type Line } from './convert/ledger.ts'
import { namesFor } from './convert/names.ts'
import type { Strategy } from './convert/scale.ts'
import { convertGroup, type RunnerSetDocument } from './convert/set.ts'
import { doubtsOf } from './doubts.ts'
import { compileJobTemplate, type JobTemplate } from './job-template.ts'
import type { Problem } from './problem.ts'
import { below, isMapping, type Value } from './yaml/value.ts'

export type ImportRequest = {
  readonly configuration: string
  readonly template: string | undefined
  readonly mode: Mode
  readonly strategy: Strategy
  /** The spec of Dayfly's own pod with a Docker sidecar, without any template. */
  readonly defaultSpec: JsonObject
}

/** A problem with the file that has it. */
export type FileProblem = Problem & { readonly file: Line['file'] }

export type ImportedSet = {
  readonly document: RunnerSetDocument
  /** The place of the group in the configuration. */
  readonly group: string
  /** One line for each path of the group, and for each path of the template that is rendered for it. */
  readonly lines: readonly Line[]
}

export type ImportResult =
  | {
      readonly ok: true
      readonly sets: readonly ImportedSet[]
      /** The paths outside the groups. */
      readonly lines: readonly Line[]
      readonly warnings: readonly FileProblem[]
    }
  | { readonly ok: false; readonly problems: readonly FileProblem[] }

export function importAutoscaler(request: ImportRequest): ImportResult {
  const { mode } = request
  const read = readConfiguration(request.configuration, mode)
  if (!read.ok) return { ok: false, problems: inConfiguration(read.problems) }
  const { configuration } = read
  const doubts = mode === 'strict' ? { errors: [], warnings: [] } : doubtsOf(configuration)
  if (doubts.errors.length > 0) return { ok: false, problems: inConfiguration(doubts.errors) }
  const templates = renderTemplates(request, configuration)
  if (!templates.ok) return templates
  const names = namesFor(configuration.groups)
  const sets = configuration.groups.map((group, index) =>
    importGroup(group, configuration, {
      ...request,
      name: names[index] ?? 'runners',
      template: templates.byGroup.get(group),
    }),
  )
  const problems = sets.flatMap((set) => {
    // The schema would say the same without the place in the template.
    const unnamed = withoutRunner(set)
    return unnamed.length > 0 ? unnamed : notParsed(set.imported)
  })
  if (problems.length > 0) return { ok: false, problems }
  const warnings = inConfiguration([...read.warnings, ...doubts.warnings])
  return { ok: true, sets: sets.map(({ imported }) => imported), lines: linesOutside(configuration, request), warnings }
}

function inConfiguration(problems: readonly Problem[]): readonly FileProblem[] {
  return problems.map((problem) => ({ file: 'configuration', ...problem }))
}

type Templates =
  | { readonly ok: true; readonly byGroup: ReadonlyMap<Group, JobTemplate> }
  | { readonly ok: false; readonly problems: readonly FileProblem[] }

/** A template that fails for one group usually fails for all, and each problem is shown once. */
function renderTemplates({ template, mode }: ImportRequest, { groups }: Configuration): Templates {
  const byGroup = new Map<Group, JobTemplate>()
  if (template === undefined) return { ok: true, byGroup }
  const render = compileJobTemplate(template, mode)
  const problems = new Map<string, FileProblem>()
  for (const group of groups) {
    const read = render(group)
    if (read.ok) byGroup.set(group, read.template)
    else for (const problem of read.problems) problems.set(JSON.stringify(problem), { file: 'template', ...problem })
  }
  return problems.size > 0 ? { ok: false, problems: [...problems.values()] } : { ok: true, byGroup }
}

type GroupRequest = Omit<ImportRequest, 'template'> & {
  readonly name: string
  readonly template: JobTemplate | undefined
}

function importGroup(group: Group, configuration: Configuration, request: GroupRequest) {
  const { name, mode, strategy, template } = request
  const ledgers = { configuration: createLedger('configuration'), template: createLedger('template') }
  const defaults = readDefaultPod(request.defaultSpec)
  const source = groupSource(configuration, group)
  const { document, hasRunner } = convertGroup(group, source, configuration, {
    name,
    mode,
    strategy,
    defaults,
    template,
    ledgers,
  })
  const lines = [...ledgers.configuration.lines(), ...ledgers.template.lines()]
  return { imported: { document, group: group.path, lines }, hasRunner, template }
}

function groupSource({ source, groups }: Configuration, group: Group): ReadonlyMap<string, Value> {
  const list = isMapping(source) ? source.get('groups') : undefined
  const value = Array.isArray(list) ? (list[groups.indexOf(group)] as Value) : undefined
  return isMapping(value) ? value : new Map()
}

function withoutRunner({ hasRunner, template }: ReturnType<typeof importGroup>): readonly FileProblem[] {
  if (hasRunner || !template) return []
  const path = `${template.job.path}.spec.template.spec.containers`
  return [{ file: 'template', path, sentence: 'No container is the runner. Give the runner the name runner.' }]
}

/** The schema that the controller reads with has the last word. */
function notParsed({ document, group }: ImportedSet): readonly FileProblem[] {
  const parsed = parseRunnerSet(document)
  if (parsed.ok) return []
  return parsed.problems.map(({ path, sentence }) => ({
    file: 'configuration',
    path: group,
    sentence: `The RunnerSet ${document.metadata.name} would not be valid: ${path}: ${sentence}.`,
  }))
}

/** Notes the constants and the keys beside them. */
function linesOutside({ source }: Configuration, { strategy }: ImportRequest): readonly Line[] {
  const ledger = createLedger('configuration')
  if (!isMapping(source)) return []
  const constants = source.get('constants')
  for (const [key, value] of isMapping(constants) ? constants : []) {
    const at = below('constants', key)
    const coolDown = key === 'runner_cool_down_period' && strategy === 'percentage'
    if (coolDown) ledger.note('kept', at, value, 'spec.scale.percentageRunnersIdle.coolDown of each RunnerSet')
    else ledger.note('dropped', at, value, reasons[key] ?? 'The official tool ignores this key, too.')
  }
  for (const [key, value] of source) {
    const isEmpty = key === 'constants' && isMapping(value) && value.size === 0
    if (key !== 'groups')
      ledger.note(
        isEmpty ? 'kept' : 'dropped',
        below('', key),
        value,
        isEmpty ? 'It is empty.' : 'The official tool ignores this key, too.',
      )
  }
  return ledger.lines()
}

const reasons: Readonly<Record<string, string>> = {
  default_sleep_time_runner_setup: 'Dayfly starts runners at the same time and does not sleep.',
  default_sleep_time_runner_delete: 'Dayfly removes runners at the same time and does not sleep.',
  runner_api_polling_interval: "Dayfly plans its calls itself, within Bitbucket's limit of calls per hour.",
  runner_cool_down_period: 'Dayfly keeps a number of idle runners, which needs no cool-down.',
}

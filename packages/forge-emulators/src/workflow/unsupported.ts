// Finds features of GitHub that are not supported here. They are refused with their position, so that no run silently differs from GitHub's.
import { splitTemplate } from '../expression.ts'
import type { Path, Found as Unsupported } from '../source/locate.ts'

type Mapping = Readonly<Record<string, unknown>>

/** Returns all unsupported features of a valid workflow, in the order of the file. */
export function findUnsupported(workflow: Mapping): readonly Unsupported[] {
  const jobs = Object.entries(mapping(workflow['jobs']))
  const found = jobs.flatMap(([key, job]) => checkJob(mapping(job), ['jobs', key]))
  return [...checkEvents(workflow['on']), ...found, ...checkDirectives(workflow, [])]
}

function checkEvents(on: unknown): readonly Unsupported[] {
  const events = typeof on === 'string' ? [on] : Array.isArray(on) ? on : Object.keys(mapping(on))
  if (events.length === 0 || events.some((event) => event !== 'workflow_call')) return []
  const sentence = 'This workflow only runs when another workflow calls it.'
  return [{ path: ['on'], sentence, next: 'Run the calling workflow, or add `workflow_dispatch` to its events.' }]
}

/** The maximum number of steps that the emulator accepts in one report. */
const stepsMax = 1_000

const jobKeys: Readonly<Record<string, readonly [what: string, next: string]>> = {
  uses: ['Reusable workflows are', 'Write the steps of the called workflow into this job.'],
  container: ['Job containers are', 'Remove `container`; the steps run in the runner itself.'],
  services: ['Service containers are', 'Remove `services`, or start the service in a step.'],
  environment: ['Deployment environments are', 'Remove `environment` for a local run.'],
  concurrency: [
    'Concurrency of single jobs is',
    'Remove it from the job; `concurrency` of the whole workflow is accepted.',
  ],
  snapshot: ['Custom images are', 'Remove `snapshot`.'],
  'cancel-timeout-minutes': ['`cancel-timeout-minutes` is', 'Remove it.'],
}

function checkJob(job: Mapping, path: Path): readonly Unsupported[] {
  const found: Unsupported[] = []
  for (const [key, [what, next]] of Object.entries(jobKeys)) {
    if (job[key] !== undefined) found.push({ path: [...path, key], sentence: `${what} not supported here.`, next })
  }
  if (mapping(job['runs-on'])['group'] !== undefined) {
    const next = 'Use labels instead: `runs-on: linux`.'
    found.push({ path: [...path, 'runs-on', 'group'], sentence: 'Runner groups are not supported here.', next })
  }
  if (/\b(success|failure)\(\s*[^)\s]/i.test(String(job['if'] ?? ''))) {
    const sentence = 'Job names as arguments of success() and failure() are not supported here.'
    found.push({ path: [...path, 'if'], sentence, next: 'Compare `needs.<job>.result` instead.' })
  }
  const steps = Array.isArray(job['steps']) ? job['steps'] : []
  if (steps.length > stepsMax) {
    const sentence = `A job of more than ${stepsMax.toLocaleString('en')} steps is not supported here.`
    found.push({ path: [...path, 'steps'], sentence, next: 'Split the job, or join steps.' })
  }
  return [...found, ...steps.flatMap((step, index) => checkCheckout(mapping(step), [...path, 'steps', index]))]
}

/** The inputs of actions/checkout that change the result. The others concern the network or the token. */
const checkoutRefused = ['repository', 'ssh-key', 'filter', 'sparse-checkout', 'github-server-url']
const checkoutOff = ['submodules', 'lfs']

function checkCheckout(step: Mapping, path: Path): readonly Unsupported[] {
  if (!isCheckout(step['uses'])) return []
  const inputs = mapping(step['with'])
  const refused = (name: string) =>
    checkoutRefused.includes(name) || (checkoutOff.includes(name) && String(inputs[name]) !== 'false')
  return Object.keys(inputs)
    .filter(refused)
    .map((name) => ({
      path: [...path, 'with', name],
      sentence: `The input \`${name}\` of actions/checkout is not supported here: checkout clones the repository of this file.`,
      next: 'Remove the input.',
    }))
}

export function isCheckout(uses: unknown): boolean {
  return /^actions\/checkout@/i.test(String(uses ?? ''))
}

/** Finds expressions as keys (`${{ insert }}`). */
function checkDirectives(value: unknown, path: Path): readonly Unsupported[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, item]) => {
    const here = [...path, Array.isArray(value) ? Number(key) : key]
    if (!Array.isArray(value) && splitTemplate(key).some((part) => part.kind === 'expression')) {
      return [{ path: here, sentence: 'Expressions as keys are not supported here.', next: 'Write the key out.' }]
    }
    return checkDirectives(item, here)
  })
}

function mapping(value: unknown): Mapping {
  return typeof value === 'object' && value !== null ? (value as Mapping) : {}
}

// One run of a workflow: a state machine over its jobs, without time or I/O. It releases jobs, takes their reports, and applies
// GitHub's rules for needs, if, skipping, matrix, fail-fast and continue-on-error.
import { defineFunction, evaluateCondition, evaluateValue } from '../expression.ts'
import type { Conclusion, JobReport } from '../job.ts'
import { expandMatrix, knownCells } from './matrix.ts'
import { evaluating, PartFailure, type ReadyJob, type RunFacts, readyJob } from './message.ts'
import type { Workflow, WorkflowJob } from './workflow.ts'

/** The outcome of one job, or of one cell of its matrix. */
export type JobOutcome = {
  /** The key of the `ReadyJob`. */
  readonly key: string
  readonly name: string
  readonly conclusion: Conclusion
  /** Whether the job failed and `continue-on-error` allows it. */
  readonly allowed: boolean
  /** A sentence, for example why the job never started. */
  readonly note: string | undefined
  /** Undefined for a job that was never given to a runner. */
  readonly report: JobReport | undefined
}

export type RunConclusion = Exclude<Conclusion, 'skipped'>

export interface Run {
  /** Returns the jobs that are ready since the last call, in the order of the file. */
  ready(): readonly ReadyJob[]
  /** Returns the keys of started jobs that must be cancelled since the last call, because their matrix failed or the run was cancelled. */
  cancellations(): readonly string[]
  /** Takes a runner's report. A second report of the same job is ignored. */
  complete(key: string, report: JobReport): void
  /** Cancels the run. Jobs that have not started never do, except if their `if` allows it. */
  cancel(): void
  /** Returns undefined while jobs are ready or running. */
  conclusion(): RunConclusion | undefined
  /** Returns the number of jobs that are known now. It grows when the matrix of a job is known. */
  size(): number
  /** Returns the outcomes of the jobs that have ended, in the order of the file. */
  outcomes(): readonly JobOutcome[]
}

export function createRun(workflow: Workflow, facts: RunFacts): Run {
  const nodes = new Map(workflow.jobs.map((job) => [job.key, newNode(job)]))
  const cancellations: string[] = []
  let cancelled = false

  const advance = () => {
    let moved = true
    while (moved) {
      moved = false
      for (const node of nodes.values()) {
        if (node.cells || !node.job.needs.every((key) => nodes.get(key)?.result)) continue
        start(node, workflow, facts, { nodes, cancelled })
        moved = true
      }
      for (const node of nodes.values()) if (settle(node)) moved = true
    }
    for (const node of nodes.values()) release(node)
  }

  advance()
  return {
    ready: () => [...nodes.values()].flatMap(handOut),
    cancellations: () => cancellations.splice(0),
    complete: (key, report) => {
      for (const node of nodes.values()) {
        const cell = node.cells?.find((item) => item.ready.key === key)
        if (cell?.state !== 'out') continue
        finish(node, cell, report)
        if (cell.conclusion === 'failure' && !cell.ready.continueOnError && node.failFast)
          cancellations.push(...drop(node))
      }
      advance()
    },
    cancel: () => {
      if (cancelled) return
      cancelled = true
      for (const node of nodes.values()) cancellations.push(...drop(node))
      advance()
    },
    size: () => [...nodes.values()].reduce((sum, node) => sum + sizeOf(node), 0),
    conclusion: () => conclude([...nodes.values()].map((node) => node.result)),
    outcomes: () => [...nodes.values()].flatMap(outcomesOf),
  }
}

type Cell = {
  readonly ready: ReadyJob
  /** `held` by max-parallel, `due`, `out` (given to the caller), or `done`. */
  state: 'held' | 'due' | 'out' | 'done'
  conclusion: Conclusion | undefined
  report: JobReport | undefined
}

type Node = {
  readonly job: WorkflowJob
  /** Undefined until the job's needs have ended; empty for a job that never runs. */
  cells: Cell[] | undefined
  failFast: boolean
  maxParallel: number
  result: Conclusion | undefined
  note: string | undefined
  outputs: Record<string, string>
}

function sizeOf({ cells, job }: Node): number {
  return cells ? Math.max(1, cells.length) : knownCells(job.strategy)
}

type Graph = { readonly nodes: ReadonlyMap<string, Node>; readonly cancelled: boolean }

function newNode(job: WorkflowJob): Node {
  return { job, cells: undefined, failFast: true, maxParallel: 1, result: undefined, note: undefined, outputs: {} }
}

/** Decides whether the job runs, and creates its matrix cells. As on GitHub, an expression error fails this job only. */
function start(node: Node, workflow: Workflow, facts: RunFacts, graph: Graph): void {
  node.cells = []
  try {
    const contexts = { ...facts.contexts, needs: needsOf(node.job, graph) }
    const functions = statusFunctions(node.job, graph)
    if (!evaluating('if', () => evaluateCondition(node.job.if, { contexts, functions }))) {
      node.result = graph.cancelled ? 'cancelled' : 'skipped'
      return
    }
    const { strategy, cells } = evaluating('strategy', () => {
      const value = evaluateValue(node.job.strategy, { contexts }) as WorkflowJob['strategy']
      return { strategy: value, cells: value.matrix === undefined ? [undefined] : expandMatrix(value.matrix) }
    })
    node.failFast = String(strategy.failFast) !== 'false'
    node.maxParallel = Math.max(1, Number(strategy.maxParallel ?? cells.length) || cells.length)
    const total = { failFast: node.failFast, maxParallel: node.maxParallel, jobs: cells.length }
    node.cells = cells.map((cell, index) => ({
      ready: readyJob({ workflow, job: node.job, facts, contexts }, { cell, index, total }),
      state: 'held',
      conclusion: undefined,
      report: undefined,
    }))
  } catch (error) {
    if (!(error instanceof PartFailure)) throw error
    node.result = 'failure'
    node.note = `Error when evaluating '${error.part}' for job '${node.job.key}'. ${workflow.file}: ${error.message}`
  }
}

/** The status functions. As on GitHub, success() and failure() check all transitive needs, not only the direct ones. */
function statusFunctions(job: WorkflowJob, graph: Graph) {
  const results = [...ancestorsOf(job, graph)].map((node) => node.result)
  return [
    defineFunction('success', [0, 0], () => !graph.cancelled && results.every((result) => result === 'success')),
    defineFunction('failure', [0, 0], () => !graph.cancelled && results.some((result) => result === 'failure')),
    defineFunction('cancelled', [0, 0], () => graph.cancelled),
    defineFunction('always', [0, 0], () => true),
  ]
}

function ancestorsOf(job: WorkflowJob, graph: Graph): ReadonlySet<Node> {
  const found = new Set<Node>()
  const waiting = [...job.needs]
  for (let key = waiting.pop(); key !== undefined; key = waiting.pop()) {
    const node = graph.nodes.get(key)
    if (!node || found.has(node)) continue
    found.add(node)
    waiting.push(...node.job.needs)
  }
  return found
}

function needsOf(job: WorkflowJob, graph: Graph): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    job.needs.map((key) => {
      const node = graph.nodes.get(key)
      return [key, { result: node?.result ?? 'skipped', outputs: { ...node?.outputs } }]
    }),
  )
}

/** Marks as many cells as due as max-parallel allows. */
function release(node: Node): void {
  const cells = node.cells ?? []
  const busy = cells.filter((cell) => cell.state === 'due' || cell.state === 'out').length
  const next = cells.filter((cell) => cell.state === 'held').slice(0, Math.max(0, node.maxParallel - busy))
  for (const cell of next) cell.state = 'due'
}

function handOut(node: Node): readonly ReadyJob[] {
  const due = (node.cells ?? []).filter((cell) => cell.state === 'due')
  for (const cell of due) cell.state = 'out'
  return due.map((cell) => cell.ready)
}

/** Records a cell's report. For each output of a matrix, the last cell with a value that is not empty wins. */
function finish(node: Node, cell: Cell, report: JobReport): void {
  cell.state = 'done'
  cell.report = report
  cell.conclusion = report.conclusion
  for (const [name, value] of Object.entries(report.outputs)) if (value !== '') node.outputs[name] = value
}

/** Cancels the cells that were not given to the caller. Returns the keys of the others that still run. */
function drop(node: Node): readonly string[] {
  const cells = node.cells ?? []
  for (const cell of cells) {
    if (cell.state !== 'held' && cell.state !== 'due') continue
    cell.state = 'done'
    cell.conclusion = 'cancelled'
  }
  return cells.filter((cell) => cell.state === 'out').map((cell) => cell.ready.key)
}

/** Sets the job's result when all its cells have one. */
function settle(node: Node): boolean {
  if (node.result || !node.cells || node.cells.length === 0) return false
  if (node.cells.some((cell) => cell.state !== 'done')) return false
  const results = node.cells.map((cell) => (isAllowed(cell) ? 'success' : cell.conclusion))
  node.result = conclude(results) ?? 'success'
  return true
}

function isAllowed(cell: Cell): boolean {
  return cell.conclusion === 'failure' && cell.ready.continueOnError
}

function conclude(results: readonly (Conclusion | undefined)[]): RunConclusion | undefined {
  if (results.some((result) => result === undefined)) return undefined
  return results.includes('failure') ? 'failure' : results.includes('cancelled') ? 'cancelled' : 'success'
}

function outcomesOf(node: Node): readonly JobOutcome[] {
  if (node.cells && node.cells.length === 0 && node.result) {
    const name = node.job.name ?? node.job.key
    return [{ key: node.job.key, name, conclusion: node.result, allowed: false, note: node.note, report: undefined }]
  }
  return (node.cells ?? []).flatMap((cell) => {
    if (!cell.conclusion) return []
    const { key, name } = cell.ready
    const note = cell.report?.note
    return [{ key, name, conclusion: cell.conclusion, allowed: isAllowed(cell), note, report: cell.report }]
  })
}

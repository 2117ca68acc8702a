// The logs of runner containers on a virtual node: what Bitbucket's runner prints about its steps, as streams that break off and end with the container.
import type { NodeApi } from '@dayfly/cluster/api/node'
import { silentNode } from '@dayfly/cluster/api/silent-node.fixture'
import type { Control } from '@dayfly/forge-emulators/bitbucket/control'
import { TransportError } from '@dayfly/kit/http'

type Log = { readonly lines: string[]; isOver: boolean; breaks: number; readonly wakers: Set<() => void> }

export interface RunnerLogs extends NodeApi {
  /** The steps that each runner printed the start of. */
  readonly steps: ReadonlyMap<string, ReadonlySet<string>>
  /** The container of the runner has ended. */
  end(runner: string): void
  /** Every open stream of the runner is reset. */
  break(runner: string): void
}

export function runnerLogs(control: Control): RunnerLogs {
  const logs = new Map<string, Log>()
  const steps = new Map<string, Set<string>>()
  const logOf = (runner: string): Log => {
    const log = logs.get(runner) ?? { lines: [], isOver: false, breaks: 0, wakers: new Set() }
    logs.set(runner, log)
    return log
  }
  const wake = ({ wakers }: Log) => {
    for (const waker of wakers) waker()
    wakers.clear()
  }
  const change = (runner: string, change: (log: Log) => void) => {
    const log = logOf(runner)
    change(log)
    wake(log)
  }
  control.onStep(({ kind, id, runner, result }) => {
    if (runner === undefined || logOf(runner).isOver) return
    if (kind === 'started') {
      steps.set(runner, (steps.get(runner) ?? new Set()).add(id))
      change(runner, ({ lines }) => lines.push(`Getting step StepId{accountUuid={a}, stepUuid=${id}}.`))
    } else if (kind === 'finished' && steps.get(runner)?.has(id)) {
      const word = result === 'SUCCESSFUL' ? 'PASSED' : 'FAILED'
      change(runner, ({ lines }) => lines.push(`Completing step with result Result{status=${word}, error=None}.`))
    }
  })
  return {
    ...silentNode,
    steps,
    end: (runner) => change(runner, (log) => (log.isOver = true)),
    break: (runner) => change(runner, (log) => log.breaks++),
    logs: ({ pod }, { follow }, until) => streamOf(logOf(pod), follow, until),
  }
}

async function* streamOf(log: Log, follow: boolean, until: AbortSignal): AsyncGenerator<string> {
  const { breaks } = log
  for (let next = 0; ; ) {
    while (next < log.lines.length) yield `${log.lines[next++]}\n`
    if (!follow || log.isOver || until.aborted) return
    await new Promise<void>((resolve) => {
      log.wakers.add(resolve)
      until.addEventListener('abort', () => resolve(), { once: true })
    })
    if (log.breaks > breaks) throw new TransportError('lost', 'the stream was reset')
  }
}

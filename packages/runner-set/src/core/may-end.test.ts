import { describe, expect, it } from 'vitest'
import type { EndCause } from '../model/end-cause.ts'
import type { DeregisterAnswer } from '../model/runner.ts'
import { type ContainerState, type EndVerdict, mayEnd } from './may-end.ts'

const causes: readonly EndCause['kind'][] = ['ended', 'surplus', 'spent', 'start-failed', 'ghost', 'life-exceeded']
const answers: readonly DeregisterAnswer[] = ['unasked', 'removed', 'absent', 'busy', 'refused']
const containers: readonly ContainerState[] = ['waiting', 'running', 'ended']

/** Every combination. A row has one verdict for each answer, in the order of the head. */
const table = `
                        unasked  removed  absent  busy  refused
ended          waiting  keep     keep     keep    keep  keep
ended          running  keep     keep     keep    keep  keep
ended          ended    end      end      end     end   end
surplus        waiting  ask      end      end     keep  retry
surplus        running  ask      end      retry   keep  retry
surplus        ended    end      end      end     end   end
spent          waiting  ask      end      end     retry retry
spent          running  ask      end      retry   retry retry
spent          ended    end      end      end     end   end
start-failed   waiting  ask      end      end     keep  retry
start-failed   running  ask      end      retry   keep  retry
start-failed   ended    end      end      end     end   end
ghost          waiting  ask      end      end     keep  retry
ghost          running  ask      end      end     keep  retry
ghost          ended    end      end      end     end   end
life-exceeded  waiting  ask      end      end     end   end
life-exceeded  running  ask      end      end     end   end
life-exceeded  ended    end      end      end     end   end
`

const [head = [], ...rows] = table
  .trim()
  .split('\n')
  .map((line) => line.trim().split(/\s+/))

describe('may a runner end', () => {
  it('has a row for every cause and container, and a column for every answer', () => {
    expect(head).toEqual(answers)
    const pairs = causes.flatMap((cause) => containers.map((container) => `${cause} ${container}`))
    expect(rows.map(([cause, container]) => `${cause} ${container}`).sort()).toEqual(pairs.sort())
  })

  const cells = rows.flatMap(([cause = '', container = '', ...verdicts]) =>
    verdicts.map((verdict, index) => [cause, container, head[index] ?? '', verdict] as const),
  )
  it.each(cells)('%s, container %s, answer %s: %s', (cause, container, answer, verdict) => {
    const given = mayEnd(cause as EndCause['kind'], answer as DeregisterAnswer, container as ContainerState)
    expect(given).toBe(verdict as EndVerdict)
  })

  it('ends a busy runner only by the bound that the operator set', () => {
    const enders = causes.filter((cause) => mayEnd(cause, 'busy', 'running') === 'end')
    expect(enders).toEqual(['life-exceeded'])
  })
})

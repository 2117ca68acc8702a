import { expect, test } from 'vitest'
import { mayBeBusy, type RunnerSigns } from './busy.ts'

// Container, ARC, forge → not busy? Every other combination is busy.
const free = `
  not-started no-job  not-asked
  not-started no-job  idle
  not-started no-job  absent
  not-started not-arc not-asked
  not-started not-arc idle
  not-started not-arc absent
  ended       no-job  not-asked
  ended       no-job  idle
  ended       no-job  absent
  ended       not-arc not-asked
  ended       not-arc idle
  ended       not-arc absent
  no-pod      no-job  not-asked
  no-pod      no-job  idle
  no-pod      no-job  absent
  no-pod      not-arc not-asked
  no-pod      not-arc idle
  no-pod      not-arc absent
  lost        no-job  absent
  lost        not-arc absent
  ended       job     absent
  no-pod      job     absent
  lost        job     absent`
  .trim()
  .split('\n')
  .map((line) => line.trim().split(/\s+/).join(' '))

const containers: RunnerSigns['container'][] = ['running', 'not-started', 'ended', 'no-pod', 'lost', 'unknown']
const arcs: RunnerSigns['arc'][] = ['job', 'no-job', 'not-arc', 'unknown']
const forges: RunnerSigns['forge'][] = ['busy', 'idle', 'absent', 'not-asked', 'unknown']

test('frees a runner only if every sign allows it', () => {
  const found = containers.flatMap((container) =>
    arcs.flatMap((arc) =>
      forges.flatMap((forge) => (mayBeBusy({ container, arc, forge }).busy ? [] : [`${container} ${arc} ${forge}`])),
    ),
  )
  expect(found.sort()).toEqual([...free].sort())
})

import { describe, expect, it } from 'vitest'
import { noSteps } from '../history/steps.ts'
import type { Life, LifeSteps } from '../model/life.ts'
import { createSample } from './sample.fixture.ts'
import { endOf, instantOf, pixelOf, segmentsOf, ticksOf } from './segments.ts'

const [model] = createSample({ sets: 1, runners: 1, gone: 0, failing: 0, waiting: 0, silent: 0 }, 0).lives.values()
function life(steps: Partial<LifeSteps>, phase: Life['phase'] = 'busy'): Life {
  return { ...(model as Life), phase, steps: { ...noSteps, ...steps } }
}

const shown = (one: Life) => segmentsOf(one).map(({ kind, from, to }) => `${kind} ${from}-${to ?? ''}`)

describe('the segments of a life', () => {
  it.each<[string, Partial<LifeSteps>, Life['phase'], string[]]>([
    ['nothing seen', {}, 'starting', []],
    ['queued and registered', { queued: 10, registered: 30 }, 'starting', ['queue 10-30', 'start 30-']],
    [
      'a whole life',
      {
        queued: 1,
        registered: 2,
        created: 3,
        started: 5,
        online: 6,
        jobStarted: 8,
        jobFinished: 20,
        ended: 22,
        gone: 25,
      },
      'gone',
      ['queue 1-2', 'start 2-6', 'idle 6-8', 'job 8-20', 'end 20-25'],
    ],
    [
      'an idle runner that gets a later job',
      { registered: 2, online: 6, queued: 40, jobStarted: 50 },
      'busy',
      ['start 2-6', 'idle 6-40', 'queue 40-50', 'job 50-'],
    ],
    ['nobody saw it online', { created: 5, jobStarted: 9 }, 'busy', ['start 5-9', 'job 9-']],
    ['a failed start', { created: 5, gone: 50 }, 'gone', ['start 5-50']],
    [
      'gone, and nobody saw when',
      { created: 5, online: 9, jobStarted: 10, ended: 60 },
      'gone',
      ['start 5-9', 'idle 9-10', 'job 10-60'],
    ],
    ['steps out of order', { created: 50, online: 40 }, 'idle', ['idle 40-']],
  ])('%s', (_, steps, phase, segments) => {
    expect(shown(life(steps, phase))).toEqual(segments)
  })

  it('end only when the life ends', () => {
    expect(endOf(life({ created: 5 }))).toBeNull()
    expect(endOf(life({ created: 5, ended: 60 }, 'gone'))).toBe(60)
  })
})

describe('the scale of time', () => {
  const scale = { from: 0, to: 900_000, width: 900 }

  it('turns time into pixels and back', () => {
    expect(pixelOf(scale, 450_000)).toBe(450)
    expect(instantOf(scale, pixelOf(scale, 123_456))).toBeCloseTo(123_456)
  })

  it('has labels at full minutes that do not overlap', () => {
    expect(ticksOf(scale, 84)).toEqual([0, 300_000, 600_000, 900_000])
    expect(ticksOf({ ...scale, width: 200 }, 84)).toEqual([0, 600_000])
  })
})

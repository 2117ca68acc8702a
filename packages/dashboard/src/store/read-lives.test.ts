import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { costLinesOf } from '../history/cost-lines.ts'
import type { Followed } from '../history/followed.ts'
import { noSteps } from '../history/steps.ts'
import { readStoredLives } from './read-lives.ts'
import { lineText, segmentName } from './segments.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'dayfly-lives-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const minute = 60_000
const hour = 60 * minute
/** An hour before midnight. */
const begin = Date.parse('2026-11-27T23:00:00Z')
const prices = { currency: 'EUR', cpuHour: 0.5, memoryGibHour: 0.25, forgeMinute: 0.01, nodes: [] }

/** A life of four hours: idle for one, a job of two, and one until the pod was gone. */
function life(id: string, over: Partial<Followed['life']> = {}): Followed {
  const steps = { ...noSteps, created: begin, online: begin, jobStarted: begin + hour, jobFinished: begin + 3 * hour }
  const job = { id: 'j', name: 'a', repository: 'acme/web', workflow: 'ci.yml', ref: null, run: null, url: null }
  return {
    life: {
      ...{
        id,
        set: 'ci/linux',
        runner: id,
        phase: 'gone',
        result: 'succeeded',
        node: null,
        exitCode: 0,
        problem: null,
      },
      steps: { ...steps, ended: begin + 4 * hour, gone: begin + 4 * hour },
      job,
      requests: { cpu: 2, memoryGib: 4 },
      ...over,
    },
    ...{ reached: 'gone', foundAt: begin, isBegun: true, hasPod: true, lostAt: null, problemIs: null },
    ...{ earlierJobs: [], priceLabel: null, countedFrom: begin },
  }
}

const write = (...texts: readonly string[]) => writeFileSync(path.join(folder, segmentName(begin, 0)), texts.join(''))
const span = { from: 0, to: begin + 48 * hour, prices }

it('a life that was stored twice counts once, over midnight, with idle time and the forge apart', async () => {
  write(
    lineText({ number: 1, life: life('one', { job: null }) }),
    lineText({ number: 2, life: life('one') }),
    '{"n":3,',
  )
  const { lives, broken } = await readStoredLives(folder)
  expect([lives.length, broken]).toEqual([1, 0])
  const { lines } = costLinesOf(lives, span, 'job')
  const set = 'ci/linux'
  const nobody = { set, repository: '', workflow: '', job: '', jobName: '' }
  const of = { set, repository: 'acme/web', workflow: 'ci.yml', job: 'j', jobName: 'a' }
  expect(lines).toEqual([
    { day: '2026-11-27', ...nobody, use: 'idle', jobs: 0, quantity: 1, amount: 2 },
    { day: '2026-11-28', ...of, use: 'forge', jobs: 0, quantity: 120, amount: 1.2 },
    { day: '2026-11-28', ...of, use: 'job', jobs: 1, quantity: 2, amount: 4 },
    { day: '2026-11-28', ...of, use: 'overhead', jobs: 0, quantity: 1, amount: 2 },
  ])
  const later = costLinesOf(lives, { ...span, from: begin + 2 * hour, to: begin + 3 * hour }, 'job')
  expect(later.lines).toMatchObject([{ use: 'job', jobs: 0, quantity: 1 }])
})

it('each life that is not counted is one of a gap, if it was within the span', async () => {
  const gone = { ...noSteps, ended: begin + hour }
  write(
    lineText({ number: 1, life: life('free', { requests: null }) }),
    'no life\n',
    lineText({ number: 2, life: life('open', { steps: { ...noSteps, created: begin } }) }),
    lineText({ number: 3, life: life('undated', { job: null, steps: gone }) }),
  )
  const { lives, broken } = await readStoredLives(folder)
  const all = costLinesOf(lives, span, 'job')
  expect([all.gaps, broken]).toEqual([{ unpriced: 1, undated: 1, open: 1 }, 1])
  // The forge charges its minutes for any pod.
  expect(all.lines).toMatchObject([{ use: 'forge', amount: 1.2 }])
  const none = { unpriced: 0, undated: 0, open: 0 }
  expect(costLinesOf(lives, { ...span, to: begin }, 'job')).toEqual({ lines: [], gaps: none })
  expect(costLinesOf(lives, { ...span, from: begin + 24 * hour }, 'job').gaps).toEqual({ ...none, open: 1 })
})

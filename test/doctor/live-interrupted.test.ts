// A repair that its operator or the network interrupts. Each step is done and logged, or not begun; the next run does the rest.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { broken } from './recording-proxy.ts'
import { doomed, linesOf, makeZombies, openRepairStage, type RepairStage } from './repair-stage.fixture.ts'

let stage: RepairStage
beforeEach(async () => {
  stage = await openRepairStage()
  makeZombies(stage, 'r1', 'r2', 'r3')
})
afterEach(() => stage.end())

/** The requested changes, with any answer. */
const changed = () => stage.proxy.exchanges.filter(({ purpose }) => purpose === 'change').length
const steps = (what: 'log' | 'images') =>
  linesOf(stage, what).flatMap(({ step, outcome }) => (step ? [[step, outcome].filter(Boolean).join(' ')] : []))

/** Plans the remaining steps, and does them. */
async function goOn(left: number): Promise<void> {
  const { code, stderr } = await stage.doctor('--fix', '--confirm', await stage.digest())
  expect([code, stderr]).toEqual([0, expect.stringContaining(`${left} of ${left} step`)])
  expect(doomed(stage)).toEqual(['r1', 'r2', 'r3'])
}

describe('Ctrl-C', () => {
  it('finishes and logs the current step, and begins no other', async () => {
    const held = stage.proxy.hold('change', 2)
    const repair = await stage.begin()
    await held.came
    repair.child.kill('SIGINT')
    await repair.saw(/^interrupted: the current step is finished first; interrupt again to end at once$/m)
    expect(doomed(stage)).toEqual(['r1'])
    held.release()
    expect(await repair.ended).toEqual({ code: 130, signal: null })
    expect(repair.stderr()).toMatch(/^ {2}2\. done: delete Pod runners\/r2 \(it is gone\)$/m)
    expect(repair.stderr()).toMatch(/^2 of 3 steps done, 1 not begun\n {2}not begun: interrupted before it was done$/m)
    expect(repair.stderr()).toContain('to continue, run it again without --confirm: it plans the remaining steps')
    expect([changed(), doomed(stage)]).toEqual([2, ['r1', 'r2']])
    expect(steps('images')).toEqual(['1', '2'])
    expect(steps('log')).toEqual(['1 done', '2 done', '3 skipped'])
    await goOn(1)
  })

  it('does not begin a step before its write', async () => {
    const held = stage.proxy.hold('trial', 2)
    const repair = await stage.begin()
    await held.came
    repair.child.kill('SIGTERM')
    await repair.saw(/^interrupted: /m)
    held.release()
    expect(await repair.ended).toEqual({ code: 143, signal: null })
    expect(repair.stderr()).toMatch(/^1 of 3 steps done, 2 not begun$/m)
    expect([changed(), doomed(stage), steps('images')]).toEqual([1, ['r1'], ['1']])
    expect(steps('log')).toEqual(['1 done', '2 skipped', '3 skipped'])
    await goOn(2)
  })

  it('ends at once on the second signal, says that the last step is unknown, and keeps the previous state', async () => {
    const held = stage.proxy.hold('change', 2)
    const repair = await stage.begin()
    await held.came
    repair.child.kill('SIGINT')
    await repair.saw(/^interrupted: /m)
    repair.child.kill('SIGINT')
    expect(await repair.ended).toEqual({ code: 130, signal: null })
    expect(repair.stderr()).toContain('ended at once: it is not known whether the last step was done')
    expect([steps('images'), steps('log')]).toEqual([['1', '2'], ['1 done']])
    held.release()
    await expect.poll(() => doomed(stage), { timeout: 20_000 }).toEqual(['r1', 'r2'])
    await goOn(1)
  })
})

describe('a lost connection', () => {
  it('reads the result and counts the step as done if the server had done it', async () => {
    loseChange(2, 'answer')
    const { code, stderr } = await stage.doctor('--fix', '--confirm', await stage.digest())
    expect(stderr).toMatch(/^ {2}2\. done: delete Pod runners\/r2 \(no answer came, but it is gone\)$/m)
    expect([code, changed(), doomed(stage)]).toEqual([0, 3, ['r1', 'r2', 'r3']])
  })

  it('never sends the write again if the server had not done it, and continues with the other steps', async () => {
    loseChange(2, 'request')
    const { code, stderr } = await stage.doctor('--fix', '--confirm', await stage.digest())
    expect(stderr).toMatch(/^ {2}2\. not done: delete Pod runners\/r2 \(no answer came, and it is unchanged: .+\)$/m)
    expect(stderr).toMatch(/^2 of 3 steps done, 1 not done$/m)
    expect([code, changed(), doomed(stage)]).toEqual([5, 3, ['r1', 'r3']])
    await goOn(1)
  })

  it('calls the step unknown and begins no other if the connection stays lost', async () => {
    const held = stage.proxy.hold('change', 2)
    const repair = await stage.begin()
    await held.came
    await stage.proxy.endpoint.close()
    expect(await repair.ended).toEqual({ code: 5, signal: null })
    expect(repair.stderr()).toMatch(
      /^ {2}2\. not known: delete Pod runners\/r2 \(no answer came, and its result could not be read: /m,
    )
    expect(repair.stderr()).toMatch(
      /^1 of 3 steps done, 1 not known, 1 not begun\n {2}not begun: the API server no longer answers/m,
    )
    expect(steps('images')).toEqual(['1', '2'])
    expect(steps('log')).toEqual(['1 done', '2 unknown', '3 skipped'])
    await stage.serve()
    await goOn(2)
  })
})

/** For the n-th change, the request never arrives, or the answer never comes back. */
function loseChange(nth: number, what: 'request' | 'answer'): void {
  let left = nth
  stage.proxy.between = async ({ purpose }, pass) => {
    if (purpose !== 'change' || --left !== 0) return await pass()
    if (what === 'answer') await pass()
    return broken
  }
}

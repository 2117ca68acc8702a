// Runs after every change: gives waiting steps to idle runners, and lets a runner whose step is over ask again.
import type { Emulation } from './emulation.ts'
import { askForStep } from './runners.ts'
import { assignSteps } from './steps.ts'

export function settle(emulation: Emulation): void {
  const { state, deadlines, clock } = emulation
  assignSteps(emulation)
  const now = clock.now()
  for (const runner of state.runners.values()) {
    // A step has just ended, or the runner has just come online: it asks at once and not only in its interval. The clock may move on
    // between the end and this moment, and a runner that never asks again would never start a step.
    const asksNow = runner.idleSince === now || !deadlines.has(`ask:${runner.uuid}`)
    if (asksNow && runner.step?.state !== 'IN_PROGRESS') askForStep(emulation, runner)
  }
}

// A sequence of calls to Gitea, as data. It is played on a real server and on the emulated one, in its order: later steps see what earlier ones made.
// The answers of the real server are in answers.jsonl. `npx vitest run --config vitest.gitea.config.ts test/gitea/recorded.test.ts -u` renews them.
import { readFileSync } from 'node:fs'
import type { Recorded, Step } from './step.fixture.ts'
import { jobSteps } from './steps-jobs.fixture.ts'
import { runnerSteps } from './steps-runners.fixture.ts'
import { taskSteps } from './steps-tasks.fixture.ts'

export const steps: readonly Step[] = [...runnerSteps, ...taskSteps, ...jobSteps]

export const answersFile = new URL('answers.jsonl', import.meta.url)

/** Reads the recorded answers, in the order of the steps. Changes that REST cannot make have none. */
export function readAnswers(): readonly Recorded[] {
  const lines = readFileSync(answersFile, 'utf8').trim().split('\n')
  return lines.map((line) => JSON.parse(line) as Recorded)
}

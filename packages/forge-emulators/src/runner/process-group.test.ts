import { tmpdir } from 'node:os'
import type { Clock } from '@dayfly/kit/clock'
import { systemClock } from '@dayfly/kit/system'
import { expect, test } from 'vitest'
import { type GroupWatch, runGroup } from './process-group.ts'

const clock = systemClock()

function run(script: string, watch: Pick<GroupWatch, 'clock' | 'onLine'>) {
  const command = { file: '/bin/sh', args: ['-c', script], cwd: tmpdir(), env: { PATH: '/usr/bin:/bin' } }
  return runGroup(command, { ...watch, stop: new AbortController().signal, stopDelays: () => [1_000, 1_000] })
}

/** Blocks this process, as a busy machine does. */
function stall(ms: number): void {
  for (const start = clock.now(); clock.now() - start < ms; );
}

test('keeps the output of a command that ended while this process was stalled', async () => {
  const lines: string[] = []
  let stalls = 1
  const stalling: Clock = {
    now: () => clock.now(),
    after: (ms, run) => clock.after(ms, run),
    sleep: (ms, signal) => {
      const slept = clock.sleep(ms, signal)
      if (stalls-- > 0) stall(600)
      return slept
    },
  }
  const late = run('sleep 0.4; echo hello', { clock: stalling, onLine: (line) => void lines.push(line) })
  // The end of this command stalls the process until the other one has ended, too.
  const early = run('echo x', { clock, onLine: () => void stall(700) })
  stall(150)
  await Promise.all([late, early])
  expect(lines).toEqual(['hello'])
})

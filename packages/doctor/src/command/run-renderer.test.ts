import { expect, it } from 'vitest'
import { rendererFailure, runRenderer } from './run-renderer.ts'

const node = (script: string, timeMax?: number) => runRenderer(process.execPath, ['-e', script], timeMax)

it('returns the output', async () => {
  expect(await node('process.stdout.write("a: 1")')).toEqual({ is: 'done', output: 'a: 1' })
})

it('says that the program is absent', async () => {
  expect(await runRenderer('no-such-program-of-dayfly', [])).toEqual({ is: 'absent' })
})

it("shows the program's own words when it fails", async () => {
  const run = await node('console.error("line 7: no\\nvalue"); process.exit(3)')
  if (run.is !== 'failed') throw new Error('it must fail')
  const { details, exitCode } = rendererFailure('helm template', run)
  expect(details.sentence).toBe('helm template failed: it ended with 3.\n  | line 7: no\n  | value')
  expect(exitCode).toBe(2)
})

it('ends a program that takes too long', async () => {
  expect(await node('setInterval(() => {}, 1000)', 1_000)).toMatchObject({
    is: 'failed',
    why: 'it did not end within 1 s',
  })
})

it('ends the program when the operator cancels', async () => {
  const running = node('setInterval(() => {}, 1000)')
  setTimeout(() => process.emit('SIGINT'), 500)
  await expect(running).rejects.toThrow('interrupted by SIGINT')
})

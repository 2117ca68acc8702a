// A real Gitea stops, crashes and starts again while the small runner runs a job.
import { existsSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openStage, type Stage } from './stage.ts'

let stage: Stage

beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage?.close())

test.each(['SIGTERM', 'SIGKILL'] as const)(
  '36 and 37: the job and its log survive a server that ends by %s',
  async (signal) => {
    const { repository, runner, job } = await stage.begin('echo begun; sleep 4; echo done')
    const { server } = stage.gitea
    await server.stop(signal)
    expect(server.pid()).toBeUndefined()
    await server.start()
    expect((await job()).runner_id).toBe(runner.id)
    expect((await runner.ended).code).toBe(0)
    const { id, conclusion } = await job()
    expect(conclusion).toBe('success')
    expect((await stage.gitea.jobLog(repository, id)).match(/Z (begun|done)$/gm)).toEqual(['Z begun', 'Z done'])
    expect(await stage.isListed(repository, runner.id)).toBe(false)
  },
)

test('a job ends while the server is away, and its result arrives when the server is back', async () => {
  const { runner, job } = await stage.begin(
    'echo begun; until test -e "$HOME/away"; do sleep 0.1; done; touch "$HOME/done"',
  )
  const { server } = stage.gitea
  await server.stop('SIGKILL')
  writeFileSync(path.join(runner.folder, 'away'), '')
  await expect.poll(() => existsSync(path.join(runner.folder, 'done')), { timeout: 20_000 }).toBe(true)
  await server.start()
  expect((await runner.ended).code).toBe(0)
  expect((await job()).conclusion).toBe('success')
})

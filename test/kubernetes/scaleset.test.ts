// Drives the GitHub emulator with the public Go client of the scale-set API, which checks the emulator against the real protocol.
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import type { EmulatedApp } from '@dayfly/forge-emulators/github/apps'
import type { KnobChange } from '@dayfly/forge-emulators/github/config'
import { testApp } from '@dayfly/forge-emulators/github/emulated-apps.fixture'
import { createGitHubEmulator, type GitHubEmulator } from '@dayfly/forge-emulators/github/emulator'
import { systemClock, systemRandom } from '@dayfly/kit/system'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { compileClient } from '../../scripts/control-plane/build.ts'

const run = promisify(execFile)

let folder: string
let obstacle: string | undefined

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'dayfly-scaleset-'))
  obstacle = (await compileClient(new AbortController().signal, path.join(folder, 'scaleset')))?.why
}, 180_000)

afterAll(() => rm(folder, { recursive: true, force: true }))

for (const mode of ['hosted', 'legacy'] as const) {
  test(`the Go client works in ${mode} mode`, async (context) => {
    if (obstacle) context.skip(obstacle)
    const emulator = await runClient({ mode }, [], (origin) => [origin, mode])
    expect(emulator.control.registrations()).toEqual([])
  }, 60_000)
}

test('the Go client works as an App, with the paths of an Enterprise Server', async (context) => {
  if (obstacle) context.skip(obstacle)
  const app = testApp(7, 'my-org')
  const key = path.join(folder, 'app.pem')
  await writeFile(key, app.entries()['github_app_private_key'] ?? '')
  const knobs = { mode: 'legacy', servicePath: '/_services/pipelines' } as const
  const emulator = await runClient(knobs, [app.app], (origin) => [origin, 'legacy', '7', key])
  const requests = emulator.control.requests().map(({ path: at, status }) => `${at} ${status}`)
  expect(requests).toContain('/api/v3/app/installations/70/access_tokens 201')
  expect(requests.some((request) => request.startsWith('/_services/pipelines/tenant/'))).toBe(true)
}, 60_000)

/** Runs the Go program against an emulator. Rejects with the program's output if a check fails. */
async function runClient(
  knobs: KnobChange,
  apps: readonly EmulatedApp[],
  argumentsFor: (origin: string) => readonly string[],
): Promise<GitHubEmulator> {
  const random = systemRandom()
  const emulator = createGitHubEmulator({ clock: systemClock(), random, apps, knobs: { longPollMs: 200, ...knobs } })
  const server = await emulator.listen(0)
  try {
    const { stdout } = await run(path.join(folder, 'scaleset'), argumentsFor(server.origin), { timeout: 40_000 })
    expect(stdout).toContain('ok scale set is gone')
    return emulator
  } catch (error) {
    throw new Error(`the Go client failed:\n${(error as { stdout?: string }).stdout ?? ''}`, { cause: error })
  } finally {
    await server.close()
  }
}

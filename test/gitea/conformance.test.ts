// The numbered cases of the reference that any server can show, at a real Gitea. The emulator runs the same ones.
import { giteaCases } from '@dayfly/forges/gitea/conformance.fixture'
import type { GiteaCase } from '@dayfly/forges/gitea/conformance-bench.fixture'
import { giteaTimeoutCases } from '@dayfly/forges/gitea/conformance-server.fixture'
import { httpClient } from '@dayfly/kit/http-client'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { type Gitea, openGitea } from './open-gitea.ts'
import { realBench, shortTimeouts } from './real-bench.ts'

const client = httpClient()
afterAll(() => client.close())

describe('a server with the default timeouts', () => runAll(giteaCases, []))
describe('a server that soon gives up', () => runAll(giteaTimeoutCases, shortTimeouts))

function runAll(cases: readonly GiteaCase[], settings: readonly string[]): void {
  let gitea: Gitea
  beforeAll(async () => {
    gitea = await openGitea(...settings)
    await gitea.createOrganization('acme')
  })
  afterAll(() => gitea?.close())

  test.each(cases)('$name', async ({ name, run }) => {
    const bench = await realBench(gitea, client.transport, `case-${/^\d+/.exec(name)}`)
    try {
      await run(bench)
    } finally {
      bench.stop.abort()
    }
  })
}

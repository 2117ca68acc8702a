// The controller of the benchmark, in its own process: the production controller with its production clients.
import { parseArgs } from 'node:util'
import { parseRunnerSet } from '../src/config/runner-set.ts'
import { startController } from '../src/controller/controller.ts'
import { createJournal } from '../src/controller/journal.ts'
import type { Forge } from '../src/forge/forge.ts'
import { createGitHubForge } from '../src/forge/github/github.ts'
import { createKubernetes } from '../src/kubernetes/client.ts'
import { connect } from '../src/kubernetes/connect.ts'
import { loadKubeconfig } from '../src/kubernetes/kubeconfig.ts'
import { httpClient } from '../src/lib/http-client.ts'
import { systemClock, systemRandom } from '../src/lib/system.ts'
import { defaultLimits } from '../src/model/limits.ts'

const { values } = parseArgs({ options: { kubeconfig: { type: 'string' }, 'lease-namespace': { type: 'string' } } })
const clock = systemClock()
const random = systemRandom()
const userAgent = 'dayfly-bench/0'
const { transport, close } = connect(await loadKubeconfig(values.kubeconfig ?? ''), clock)
const client = httpClient()
const accounts = new Map<string, Forge>()
const journal = createJournal(clock)
if (process.env['BENCH_LOG']) journal.subscribe(({ event }) => process.stderr.write(`${JSON.stringify(event)}\n`))
const controller = startController(
  {
    kubernetes: createKubernetes({ transport, clock, random, userAgent }),
    transport,
    forgeFor: (source, { github_token: token = '' }) => {
      const access = { url: source.url, credential: { kind: 'token', token }, transport: client.transport } as const
      const forge = accounts.get(source.url) ?? createGitHubForge({ ...access, clock, random, userAgent })
      accounts.set(source.url, forge)
      return forge
    },
    parseSet: parseRunnerSet,
    clock,
    random,
    limits: defaultLimits,
    identity: `bench-${process.pid}`,
    lease: { namespace: values['lease-namespace'] ?? 'default', name: 'dayfly' },
  },
  journal,
)
process.once('SIGTERM', async () => {
  await controller.stop()
  await client.close()
  await close()
  process.exit(0)
})

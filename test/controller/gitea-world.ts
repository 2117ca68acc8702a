// The controller on RunnerSets of an emulated Gitea, on virtual time. The test plays the kubelet.
import { createRegistry } from '@dayfly/cluster/api/create-registry'
import { silentNode } from '@dayfly/cluster/api/silent-node.fixture'
import { createStore } from '@dayfly/cluster/store/store'
import { createApiHandler } from '@dayfly/cluster/wire/api-server'
import { knownIdentity } from '@dayfly/cluster/wire/authentication'
import { createRequestLog } from '@dayfly/cluster/wire/request-log'
import { startController } from '@dayfly/controller/controller'
import { createJournal } from '@dayfly/controller/journal'
import { createGiteaEmulator } from '@dayfly/forge-emulators/gitea/emulator'
import { inProcessForges } from '@dayfly/forges/open/in-process'
import { seededRandom } from '@dayfly/kit/random'
import { stopwatchOf, virtualClock } from '@dayfly/kit/virtual-clock'
import { createKubernetes } from '@dayfly/kubernetes/client'
import { runnerSetCrd } from '@dayfly/runner-set/config/crd'
import { parseRunnerSet } from '@dayfly/runner-set/config/runner-set'
import type { Entry } from '@dayfly/runner-set/model/event'
import { defaultLimits } from '@dayfly/runner-set/model/limits'
import { onTestFinished } from 'vitest'

/** Opens a world with RunnerSets of these names, for the test that runs. */
export function openGiteaWorld(names: readonly string[]) {
  const clock = virtualClock()
  const random = seededRandom(1)
  const registry = createRegistry({ store: createStore(), clock, random })
  const requestLog = createRequestLog()
  const authenticate = knownIdentity('dayfly')
  const parts = { registry, node: silentNode, clock, random, profile: '1.36', requestLog, authenticate } as const
  const transport = createApiHandler(parts)
  const emulator = createGiteaEmulator({
    clock,
    random,
    owners: [{ name: 'acme', kind: 'organization', repositories: ['app'] }],
    credentials: [{ token: 'token', user: 'ci', scopes: ['all'], isSiteAdmin: true }],
    knobs: { latencyMs: 20 },
  })
  registry.create('namespaces', { metadata: { name: 'ci' } })
  registry.create('customresourcedefinitions.apiextensions.k8s.io', runnerSetCrd())
  registry.create('secrets', {
    metadata: { name: 'gitea', namespace: 'ci' },
    data: { gitea_token: Buffer.from('token').toString('base64') },
  })
  const addSet = (name: string, more: object = {}) =>
    registry.create('runnersets.dayfly.dev', {
      apiVersion: 'dayfly.dev/v1alpha1',
      kind: 'RunnerSet',
      metadata: { name, namespace: 'ci' },
      spec: { gitea: { url: 'https://gitea.test/acme', credentials: { secret: 'gitea' } }, scale: { max: 3 }, ...more },
    })
  for (const name of names) addSet(name)
  const forges = inProcessForges(emulator.transport, { clock, random, userAgent: 'dayfly/test', owner: 'one' })
  const journal = createJournal(clock)
  const entries: Entry[] = []
  journal.subscribe((entry) => entries.push(entry))
  const controller = startController(
    {
      kubernetes: createKubernetes({ transport, clock, random }),
      transport,
      forgeFor: forges.forgeFor,
      parseSet: parseRunnerSet,
      ...{ clock, stopwatch: stopwatchOf(clock), random, limits: defaultLimits },
      identity: 'one',
      lease: { namespace: 'ci', name: 'dayfly' },
    },
    journal,
  )
  onTestFinished(async () => {
    const stopping = controller.stop()
    await clock.advance(60_000)
    await stopping
    emulator.close()
  })
  return {
    ...{ clock, registry, emulator, entries, addSet },
    statusWrites: () => requestLog.writes('dayfly', 'runnersets.dayfly.dev/status'),
  }
}

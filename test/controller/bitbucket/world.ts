// Two runner sets in one emulated workspace on virtual time, with production controllers that a test starts, cuts off and stops.
import { createRegistry } from '@dayfly/cluster/api/create-registry'
import type { NodeApi } from '@dayfly/cluster/api/node'
import { silentNode } from '@dayfly/cluster/api/silent-node.fixture'
import { createStore } from '@dayfly/cluster/store/store'
import { createApiHandler } from '@dayfly/cluster/wire/api-server'
import { knownIdentity } from '@dayfly/cluster/wire/authentication'
import { createRequestLog } from '@dayfly/cluster/wire/request-log'
import { startController } from '@dayfly/controller/controller'
import { createJournal } from '@dayfly/controller/journal'
import type { ControllerOptions } from '@dayfly/controller/options'
import type { KnobChange } from '@dayfly/forge-emulators/bitbucket/config'
import type { EmulatedCredential } from '@dayfly/forge-emulators/bitbucket/credentials'
import { createBitbucketEmulator } from '@dayfly/forge-emulators/bitbucket/emulator'
import { inProcessForges } from '@dayfly/forges/open/in-process'
import type { Request, Transport } from '@dayfly/kit/http'
import { seededRandom } from '@dayfly/kit/random'
import { stopwatchOf, virtualClock } from '@dayfly/kit/virtual-clock'
import { createKubernetes } from '@dayfly/kubernetes/client'
import { runnerSetCrd } from '@dayfly/runner-set/config/crd'
import { parseRunnerSet } from '@dayfly/runner-set/config/runner-set'
import type { Entry } from '@dayfly/runner-set/model/event'
import { defaultLimits } from '@dayfly/runner-set/model/limits'
import { runnerLogs } from './logs.ts'
import { counted, type Gate, gated, slowed, withoutLogs } from './network.ts'
import { startNode } from './node.ts'

export type SetSpec = {
  readonly namespace: string
  readonly label: string
  readonly min: number
  readonly max: number
  /** Absent: idle spares. */
  readonly percentageRunnersIdle?: object
}

export type WorldOptions = {
  readonly seed: number
  readonly sets: readonly SetSpec[]
  readonly knobs?: KnobChange
  readonly apiMs: number
  readonly startMs: () => number
  readonly connectMs: () => number
  /** Whether the controller may read the logs of runners. */
  readonly logs?: boolean
}

export const setName = 'linux'
const url = 'http://bitbucket.test/acme'
const secretName = 'bitbucket'

export type Process = Awaited<ReturnType<typeof openWorld>>['processes'][number]
export type World = Awaited<ReturnType<typeof openWorld>>

export async function openWorld(options: WorldOptions) {
  const clock = virtualClock()
  const random = seededRandom(options.seed)
  const registry = createRegistry({ store: createStore(), clock, random })
  const credentials: EmulatedCredential[] = [{ kind: 'access-token', token: 'token-1', user: 'joe' }]
  const emulator = createBitbucketEmulator({
    clock,
    random,
    workspaces: [{ slug: 'acme', repositories: ['app'] }],
    credentials,
    knobs: options.knobs ?? {},
  })
  registry.create('customresourcedefinitions.apiextensions.k8s.io', runnerSetCrd())
  for (const set of options.sets) {
    registry.create('namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: set.namespace } })
    registry.create('secrets', credentialSecret(set.namespace, 'token-1'))
    registry.create('runnersets.dayfly.dev', runnerSetObject(set))
  }
  const logs = options.logs ? runnerLogs(emulator.control) : undefined
  const node = startNode({ ...options, clock, registry, control: emulator.control, logs })
  const api = apiOf({ registry, clock, random, node: logs ?? silentNode })
  const processes: ReturnType<typeof startProcess>[] = []
  const calls: number[] = []
  const forge = counted(emulator.transport, calls, () => clock.now())
  const listeners = new Set<(request: Request, body: unknown) => void>()
  const hear = (request: Request, body: unknown) => {
    for (const listener of listeners) listener(request, body)
  }
  const start = () => {
    const transport = slowed(logs ? api : withoutLogs(api), clock, options.apiMs)
    const identity = `controller-${processes.length + 1}`
    const started = startProcess({ clock, random, transport, forge, identity, hear })
    processes.push(started)
    return started
  }
  return {
    clock,
    random,
    registry,
    emulator,
    node,
    logs,
    processes,
    credentials,
    sets: options.sets,
    calls,
    listeners,
    start,
  }
}

function apiOf({
  registry,
  clock,
  random,
  node,
}: { registry: ReturnType<typeof createRegistry>; node: NodeApi } & Pick<ControllerOptions, 'clock' | 'random'>) {
  const authenticate = knownIdentity('dayfly')
  const requestLog = createRequestLog()
  return createApiHandler({ registry, node, clock, random, profile: '1.36', requestLog, authenticate })
}

type ProcessOptions = Pick<ControllerOptions, 'clock' | 'random' | 'transport' | 'identity'> & {
  readonly forge: Transport
  readonly hear: (request: Request, body: unknown) => void
}

/** One process of the controller, with accounts, budgets and a journal of its own. */
function startProcess({ clock, random, transport, forge, identity, hear }: ProcessOptions) {
  const gate: Gate = { isOpen: true }
  const cluster: Gate = { isOpen: true }
  const toApi = gated(
    gated(transport, gate, () => {}),
    cluster,
    () => {},
  )
  const toForge = gated(forge, gate, hear)
  const entries: Entry[] = []
  const journal = createJournal(clock)
  journal.subscribe((entry) => entries.push(entry))
  const options: ControllerOptions = {
    kubernetes: createKubernetes({ transport: toApi, clock, random }),
    transport: toApi,
    forgeFor: inProcessForges(toForge, { clock, random, userAgent: 'dayfly/test', owner: identity }).forgeFor,
    parseSet: parseRunnerSet,
    clock,
    stopwatch: stopwatchOf(clock),
    random,
    limits: defaultLimits,
    identity,
    lease: { namespace: 'a', name: 'dayfly' },
  }
  return { identity, entries, gate, cluster, controller: startController(options, journal), isStopped: false }
}

function runnerSetObject({ namespace, label, ...scale }: SetSpec) {
  const bitbucket = { url, plainHttp: true, credentials: { secret: secretName }, labels: [label] }
  const spec = { bitbucket, scale, docker: 'none', keepFailed: '0s' }
  return { apiVersion: 'dayfly.dev/v1alpha1', kind: 'RunnerSet', metadata: { name: setName, namespace }, spec }
}

export function credentialSecret(namespace: string, token: string) {
  const data = { bitbucketAccessToken: Buffer.from(token).toString('base64') }
  return { apiVersion: 'v1', kind: 'Secret', metadata: { name: secretName, namespace }, type: 'Opaque', data }
}

export function scaleSet(
  world: World,
  { namespace }: SetSpec,
  scale: { readonly min: number; readonly max: number },
): void {
  const set = world.registry.get('runnersets.dayfly.dev', namespace, setName)
  world.registry.update('runnersets.dayfly.dev', { ...set, spec: { ...(set?.['spec'] as object), scale } })
}

export function statusOf(world: World, { namespace }: SetSpec) {
  const object = world.registry.get('runnersets.dayfly.dev', namespace, setName)
  return (object?.['status'] ?? {}) as Readonly<Record<string, unknown>>
}

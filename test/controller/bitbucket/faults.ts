// One random act against a world: steps, faults of Bitbucket, of nodes, of credentials, and of the controller's own processes.
import type { FaultSpec } from '@dayfly/forge-emulators/server/faults'
import { type Random, randomInteger } from '@dayfly/kit/random'
import { credentialSecret, type Process, type World } from './world.ts'

type Act = (world: World, random: Random) => void

const answer = (status: number, headers: Record<string, string> = {}): FaultSpec['action'] => {
  return { kind: 'answer', status, headers, body: { type: 'error', error: { message: `fault ${status}` } } }
}

const answers: readonly FaultSpec['action'][] = [
  answer(429),
  answer(429, { 'retry-after': '20' }),
  answer(429, { 'retry-after': '400' }),
  answer(500),
  answer(503),
  { kind: 'reset', when: 'before' },
  { kind: 'reset', when: 'after' },
  { kind: 'reset', when: 'mid-body' },
  { kind: 'truncate' },
  { kind: 'empty' },
  { kind: 'delay', ms: 20_000 },
  { kind: 'members', members: { values: [] } },
]
const routes: readonly (readonly [method: string | undefined, path: string])[] = [
  [undefined, '.'],
  ['GET', 'runners$'],
  ['POST', 'runners$'],
  ['PUT', 'state$'],
  ['DELETE', 'runners/'],
]

const burst: Act = (world, random) => {
  const set = pick(world.sets, random)
  const labels = random() < 0.1 ? ['linux'] : [set?.label ?? '']
  const steps = Array.from({ length: randomInteger(random, 1, 8) }, () => ({ repository: 'app', labels }))
  world.emulator.control.queueSteps(steps)
}

const forgeFault: Act = ({ emulator }, random) => {
  const [method, pathRegex] = pick(routes, random) ?? [undefined, '.']
  const match = method === undefined ? { pathRegex } : { method, pathRegex }
  const action = pick(answers, random) ?? answer(500)
  emulator.control.fault({ match, times: randomInteger(random, 1, 6), action })
}

const lostCreate: Act = ({ emulator }) => {
  const match = { method: 'POST', pathRegex: 'runners$' }
  emulator.control.fault({ match, times: 2, action: { kind: 'reset', when: 'after' } })
}

const outage: Act = ({ emulator, clock }, random) => {
  const id = emulator.control.fault({ match: { pathRegex: '.' }, times: 1_000_000, action: answer(503) })
  clock.after(randomInteger(random, 10_000, 400_000), () => emulator.control.removeFault(id))
}

const onRunner =
  (act: (world: World, name: string, random: Random) => void): Act =>
  (world, random) => {
    const running = [...world.node.processes].filter(([, state]) => state === 'running').map(([name]) => name)
    const busy = world.emulator.control.runners().flatMap(({ name, step }) => (step === undefined ? [] : [name]))
    const wanted = running.filter((name) => busy.includes(name))
    const name = pick(random() < 0.7 && wanted.length > 0 ? wanted : running, random)
    if (name !== undefined) act(world, name, random)
  }

const blip = onRunner(({ node }, name, random) => node.blip(name, randomInteger(random, 5_000, 240_000)))
const death = onRunner(({ node }, name) => node.die(name))
const brokenLog = onRunner(({ logs }, name) => logs?.break(name))
const loss = onRunner(({ node }, name) => node.lose(name))

const revocation: Act = (world, random) => {
  const token = `token-${randomInteger(random, 2, 1_000_000)}`
  world.credentials[0] = { kind: 'access-token', token, user: 'joe' }
  world.clock.after(randomInteger(random, 0, 300_000), () => {
    if (world.credentials[0]?.kind !== 'access-token' || world.credentials[0].token !== token) return
    for (const { namespace } of world.sets) replaceSecret(world, namespace, token)
  })
}

export function replaceSecret({ registry }: World, namespace: string, token: string): void {
  const before = registry.get('secrets', namespace, 'bitbucket')
  registry.update('secrets', { ...before, ...credentialSecret(namespace, token), metadata: { ...before?.metadata } })
}

const isAlive = ({ gate, isStopped }: Process) => gate.isOpen && !isStopped

const restart: Act = (world, random) => {
  const process = pick(world.processes.filter(isAlive), random)
  if (!process || world.processes.length > 12) return
  process.isStopped = true
  if (random() < 0.5) process.gate.isOpen = false
  void process.controller.stop()
  world.clock.after(randomInteger(random, 0, 60_000), () => world.start())
}

const partition: Act = (world, random) => {
  const process = pick(world.processes.filter(isAlive), random)
  if (!process) return
  const gate = random() < 0.5 ? process.cluster : process.gate
  gate.isOpen = false
  world.clock.after(randomInteger(random, 3_000, 90_000), () => {
    if (!process.isStopped) gate.isOpen = true
  })
}

const stingy: Act = ({ emulator, clock }, random) => {
  emulator.control.knobs({ callsPerHour: randomInteger(random, 50, 300) })
  clock.after(600_000, () => emulator.control.knobs({ callsPerHour: 1_000 }))
}

const ofForge: readonly Act[] = [
  burst,
  burst,
  burst,
  forgeFault,
  forgeFault,
  lostCreate,
  outage,
  blip,
  blip,
  death,
  loss,
  revocation,
  stingy,
]
const ofProcesses: readonly Act[] = [restart, partition]
const ofLogs: readonly Act[] = [brokenLog, brokenLog]

export function act(world: World, random: Random, withProcesses: boolean): void {
  const acts = [...ofForge, ...(withProcesses ? ofProcesses : []), ...(world.logs ? ofLogs : [])]
  pick(acts, random)?.(world, random)
}

function pick<T>(items: readonly T[], random: Random): T | undefined {
  return items[randomInteger(random, 0, items.length - 1)]
}

// S0: the runner of a Bitbucket Job ends, and the Docker container beside it keeps the pod and the Job alive.
import type { Script } from '@dayfly/cluster/runtime/scripted/scripted-runtime'
import { pods, secrets } from '@dayfly/controller/resources'
import { listAt, numberAt, textAt } from '@dayfly/kit/read-json'
import { officialTemplate, renderTemplate } from '../bitbucket-template.ts'
import { type BitbucketWorld, openBitbucket } from '../bitbucket-world.ts'
import { fixText, linesOf, lookLive, repairLines, repairLive } from '../doctor.ts'
import type { Part } from '../evidence.ts'
import type { Bench, Incident, OpenOptions } from '../incident.ts'
import { statesCommand, statesOf, tableOf } from '../kubectl.ts'
import { create, hasState, jobs, listIn } from '../objects.ts'
import { note, noteTable } from '../seen.ts'
import type { Condition, World } from '../world.ts'

const minute = 60_000
const day = 24 * 60 * minute
const file = 'job.yaml.template'

/** Docker runs until it gets a signal, and answers its probe after two seconds. */
const docker: Script = {
  exec: (_command, elapsedMs) => ({ exitCode: elapsedMs < 2_000 ? 1 : 0 }),
  onTerm: { afterMs: 500, exitCode: 0 },
}

type Site = { readonly bench: Bench; readonly world: World; readonly forge: BitbucketWorld }

export const zombiePod: Incident = {
  id: 'zombie-pod',
  code: 'S0',
  title: 'a Bitbucket runner ends, and the Docker container beside it keeps its pod and its Job alive',
  why: [
    'A pod ends when all its ordinary containers have ended.',
    'The official job template runs Docker as an ordinary container, and a Docker daemon never ends by itself.',
    'So the Job stays active, its TTL never starts, and the pod keeps its memory on the node.',
    'A native sidecar (an init container with restartPolicy Always, on by default since 1.29) is stopped by the kubelet when the runner has ended.',
  ],
  models: [
    "Atlassian's autoscaler is a model: the lab makes its calls (register, apply its template, remove the registration) and nothing else of it.",
    'Bitbucket is the emulator of Dayfly. The containers follow a script: the runner asks Bitbucket for steps, Docker runs until SIGTERM.',
  ],
  sources: [
    'https://bitbucket.org/bitbucketpipelines/runners-autoscaler',
    'https://github.com/kubernetes/enhancements/tree/master/keps/sig-node/753-sidecar-containers',
    'https://github.com/kubernetes/kubernetes/issues/25908',
  ],
  look: 'kubectl -n ci get jobs,pods',
  run: async (bench) => {
    const site = await open(bench)
    await showZombie(site)
    const fixed = fixText(file, officialTemplate, bench.profile)
    const sidecar = fixText(file, officialTemplate, '1.36').text
    if (!bench.lacks.has('versions')) await showOldKubernetes(bench, sidecar)
    await showPlainInit(site, sidecar)
    await showSidecar(site, fixed)
    await showRepair(site)
    if (bench.keeps) await makeZombie(await open(bench, { stays: true }))
  },
}

async function open(bench: Bench, given: Pick<OpenOptions, 'stays' | 'profile'> = {}): Promise<Site> {
  const stage = bench.begin()
  const forge = openBitbucket(stage.clock)
  const scripts = { runner: forge.runner, docker }
  const world = await stage.open({ scripts, namespaces: ['ci', 'ci-init', 'ci-fixed'], ...given })
  return { bench, world, forge }
}

/** Registers a runner and applies the template, as the autoscaler does. Returns the UUID, or why the API server refused the Job. */
async function startRunner({ world, forge }: Site, template: string, namespace: string, name: string) {
  const registered = await forge.register(name)
  let refusal: string | undefined
  for (const manifest of renderTemplate(template, namespace, registered)) {
    try {
      await create(world, manifest.kind === 'Job' ? jobs : secrets, manifest)
    } catch (error) {
      refusal = error instanceof Error ? error.message : String(error)
    }
  }
  return { uuid: registered.uuid, refusal }
}

function registration({ forge }: Site, uuid: string) {
  return forge.emulator.control.runners().find((runner) => runner.uuid === uuid)
}

async function startWell(site: Site, template: string, namespace: string, name: string): Promise<string> {
  const { uuid } = await startRunner(site, template, namespace, name)
  await site.world.pass(minute, () => registration(site, uuid)?.status === 'ONLINE')
  return uuid
}

/** Runs a step of ten seconds on the runner. Then the autoscaler removes the registration, and the runner ends. */
async function runStep({ world, forge }: Site, uuid: string, isOver: Condition): Promise<string | undefined> {
  const { control } = forge.emulator
  const [step = ''] = control.queueSteps([{ repository: 'app', labels: ['linux'], durationMs: 10_000 }])
  await world.pass(2 * minute, () => control.step(step)?.result !== undefined)
  const result = control.step(step)?.result
  await forge.remove(uuid)
  await world.pass(minute, isOver)
  return result
}

async function makeZombie(site: Site): Promise<string | undefined> {
  const uuid = await startWell(site, officialTemplate, 'ci', 'linux-1')
  const { world } = site
  return await runStep(site, uuid, async () => hasState(await listIn(world, pods, 'ci'), 'runner', 'terminated'))
}

async function showZombie(site: Site): Promise<void> {
  const { bench, world } = site
  const { notebook } = bench
  const result = await makeZombie(site)
  note(notebook, world, 'incident', {
    claim: 'Bitbucket reports the step of the pipeline as passed.',
    command: 'curl $BITBUCKET/_emulator/steps/$STEP',
    output: [`result: ${result}`],
    holds: result === 'SUCCESSFUL',
  })
  const states = await statesOf(world, 'ci')
  note(notebook, world, 'incident', {
    claim: 'The runner has ended with code 0. Docker runs on.',
    command: statesCommand('ci'),
    output: states,
    holds:
      /^runner: .*"exitCode":0.*"Completed"/m.test(states.join('\n')) &&
      states.some((line) => /^docker: {"running"/.test(line)),
  })
  await world.linger(2 * day)
  const part: Part = 'incident'
  const at = { namespace: 'ci' }
  await noteTable(notebook, world, part, {
    ...at,
    claim: 'Two days later the pod still runs.',
    resource: pods,
    matches: /1\/2 +NotReady +0 /,
  })
  await noteTable(notebook, world, part, {
    ...at,
    claim: 'The Job is not complete.',
    resource: jobs,
    matches: /Running +0\/1 /,
  })
}

/** The corrected template on 1.28: the API server drops the field that makes Docker a sidecar. */
async function showOldKubernetes(bench: Bench, fixed: string): Promise<void> {
  const site = await open(bench, { profile: '1.28' })
  const { world } = site
  const { refusal = 'created' } = await startRunner(site, fixed, 'ci', 'linux-1')
  note(bench.notebook, world, 'wrong remedy', {
    claim:
      'A sidecar on 1.28: the API server drops restartPolicy, so it refuses the startup probe of an init container.',
    command: `kubectl apply -f ${file}`,
    output: [refusal],
    holds: /startupProbe: (Forbidden|Invalid)/.test(refusal),
  })
  await startRunner(site, withoutProbe(fixed), 'ci', 'linux-2')
  await world.linger(3 * 60 * minute)
  await noteTable(bench.notebook, world, 'wrong remedy', {
    claim:
      'A sidecar without a probe on 1.28: Docker is a plain init container, and the runner waits for its end forever.',
    resource: pods,
    namespace: 'ci',
    matches: /0\/1 +Init:0\/1 +0/,
  })
}

/** Docker as a plain init container: the advice to remove restartPolicy. */
async function showPlainInit(site: Site, fixed: string): Promise<void> {
  const { world, bench } = site
  const namespace = 'ci-init'
  await startRunner(site, withoutProbe(fixed).replace(/^ *restartPolicy: Always\n/m, ''), namespace, 'linux-1')
  await world.pass(minute, async () => hasState(await listIn(world, pods, namespace), 'docker', 'running'))
  await world.linger(179 * minute)
  await noteTable(bench.notebook, world, 'wrong remedy', {
    claim: 'Docker as a plain init container: the runner never starts.',
    resource: pods,
    namespace,
    matches: /0\/1 +Init:0\/1 +0/,
  })
  for (const { metadata } of await listIn(world, jobs, namespace))
    await world.kubernetes.delete(jobs, metadata, { propagationPolicy: 'Background' })
  await world.pass(minute, async () => (await listIn(world, pods, namespace)).length === 0)
}

/** Removes the block of the startup probe from the text. */
function withoutProbe(text: string): string {
  return text.replace(/^( *)startupProbe:\n(?:\1 .*\n)+/m, '')
}

async function showSidecar(site: Site, fixed: ReturnType<typeof fixText>): Promise<void> {
  const { bench, world } = site
  note(bench.notebook, world, 'remedy', {
    claim: 'The doctor makes Docker a native sidecar with a startup probe.',
    command: `dayfly doctor --kubernetes-version ${bench.profile} --fix=unsafe ${file}`,
    output: fixed.fixes,
    holds: /^( *)initContainers:[\s\S]*name: docker[\s\S]*restartPolicy: Always/m.test(fixed.text),
  })
  const ttl = bench.ttlSeconds(Number(ttlPattern.exec(fixed.text)?.[1] ?? 0))
  const text = fixed.text.replace(ttlPattern, `ttlSecondsAfterFinished: ${ttl}`)
  const uuid = await startWell(site, text, 'ci-fixed', 'linux-2')
  const isCounted = (job: object) => numberAt(job, 'status', 'succeeded') === 1
  const result = await runStep(site, uuid, async () => (await listIn(world, jobs, 'ci-fixed')).some(isCounted))
  await noteTable(bench.notebook, world, 'remedy', {
    claim: `The same step (${result}), and the Job is complete as soon as the runner has ended.`,
    resource: jobs,
    namespace: 'ci-fixed',
    matches: result === 'SUCCESSFUL' ? /Complete +1\/1/ : /$^/,
  })
  const isEmpty = (lines: readonly string[]) => lines.every((line) => line.startsWith('No resources found'))
  const look = async () => [...(await tableOf(world, jobs, 'ci-fixed')), ...(await tableOf(world, pods, 'ci-fixed'))]
  await world.pass((ttl + 60) * 1_000, async () => isEmpty(await look()))
  const left = await look()
  note(bench.notebook, world, 'remedy', {
    claim: `After its TTL of ${ttl} s nothing is left.`,
    command: 'kubectl -n ci-fixed get jobs,pods',
    output: left,
    holds: ttl > 0 && isEmpty(left),
  })
}

const ttlPattern = /ttlSecondsAfterFinished: (\d+)/

/** The doctor removes the zombie. A runner beside it that works stays. */
async function showRepair(site: Site): Promise<void> {
  const { bench, world, forge } = site
  const uuid = await startWell(site, officialTemplate, 'ci', 'linux-3')
  forge.emulator.control.queueSteps([{ repository: 'app', labels: ['linux'], durationMs: 30 * minute }])
  await world.pass(2 * minute, () => registration(site, uuid)?.step !== undefined)
  const look = await lookLive(world, 'ci')
  const found = linesOf(look, 'ci').filter((line) => line.startsWith('LIV301'))
  note(bench.notebook, world, 'remedy', {
    claim: 'The doctor finds the zombie, and not the runner that works beside it.',
    command: 'dayfly doctor --live -n ci',
    output: found,
    holds: found.length === 1,
  })
  const repaired = await repairLive(world, look)
  await world.pass(2 * minute, async () => (await listIn(world, pods, 'ci')).length === 1)
  const left = await tableOf(world, pods, 'ci')
  note(bench.notebook, world, 'remedy', {
    claim: 'Its repair removes the zombie. The working runner goes on with its step.',
    command: 'dayfly doctor --live -n ci --fix --confirm DIGEST; kubectl -n ci get pods',
    output: [...repairLines(repaired), ...left],
    holds:
      left.length === 2 &&
      /2\/2 +Running/.test(left.join('\n')) &&
      registration(site, uuid)?.step !== undefined &&
      (await workers(world)) === 1,
  })
}

async function workers(world: World): Promise<number> {
  const isWorking = (status: unknown) => textAt(status, 'name') === 'runner' && numberAt(status, 'restartCount') === 0
  const found = await listIn(world, pods, 'ci')
  return found.filter((pod) => listAt(pod, 'status', 'containerStatuses').some(isWorking)).length
}

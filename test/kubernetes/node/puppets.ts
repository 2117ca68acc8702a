// Plays the scripts of the lab's containers on the real node. A puppet is a shell program that asks this process what to do.
// A container is one if its script ends it. A command of a hook or probe is one if its script answers it. All others run as their manifest says.
import type { ContainerEnd } from '@dayfly/cluster/runtime/runtime'
import type { Script } from '@dayfly/cluster/runtime/scripted/scripted-runtime'
import { type Request, textAnswer } from '@dayfly/kit/http'
import { httpServer } from '@dayfly/kit/http-server'
import { fieldsAt, listAt } from '@dayfly/kit/read-json'
import type { KubeObject } from '@dayfly/kubernetes/types'
import { outsideAddress } from '../../../scripts/node/addresses.ts'
import { clock } from '../client-place.ts'

type Scripts = Readonly<Record<string, Script>>

/** @param scripts the behaviour of each container, by its name */
export async function openPuppeteer(scripts: Scripts) {
  const startedAt = new Map<string, number>()
  const server = await httpServer(
    async (request) => {
      const { container = '', pod = '' } = request.query
      const script = scripts[container] ?? {}
      const key = `${pod}/${container}`
      const started = startedAt.get(key) ?? clock.now()
      startedAt.set(key, started)
      if (request.path === '/exec') return await execute(script, started, request)
      const { exitCode } = await play(script, request)
      return textAnswer(200, `${exitCode}`)
    },
    { host: outsideAddress },
  )
  return {
    /** Returns the object with puppets for the containers and commands that have a script. */
    withPuppets: (object: KubeObject) =>
      withPuppets(object, (name) => ({ script: scripts[name] ?? {}, name, origin: server.origin })),
    close: () => server.close(),
  }
}

/** Resolves when the script ends the container, or when the container has ended otherwise. */
async function play(script: Script, { query, body, signal }: Request): Promise<Omit<ContainerEnd, 'finishedAt'>> {
  const gone = new Promise<ContainerEnd>((resolve) => {
    signal?.addEventListener('abort', () => resolve({ exitCode: 137, finishedAt: clock.now() }), { once: true })
  })
  let end = (_: Omit<ContainerEnd, 'finishedAt'>) => {}
  const played = new Promise<ContainerEnd>((resolve) => {
    end = (how) => resolve({ ...how, finishedAt: clock.now() })
  })
  const { endsAfterMs, exitCode = 0 } = script
  if (endsAfterMs !== undefined) clock.after(endsAfterMs, () => end({ exitCode }))
  const ended = Promise.race([gone, played])
  const data = Buffer.from(body.kind === 'text' ? body.text : '')
  const volume = { name: 'credential', files: [{ path: 'credential', data, mode: 0o400 }] }
  const config = {
    id: { pod: query['pod'] ?? '', name: query['container'] ?? '', attempt: 0 },
    image: '',
    command: [],
    args: [],
    env: { RUNNER_UUID: query['uuid'] ?? '' },
    workingDir: undefined,
    terminationMessagePath: undefined,
    isFirstProcess: true,
    mounts: [{ mountPath: '/run/dayfly', subPath: undefined, volume }],
  }
  script.play?.({ config, ended, end })
  return await ended
}

/** Answers a probe or a hook with its exit code, if it does not hang. */
async function execute(script: Script, startedAt: number, { signal }: Request) {
  const reply = script.exec?.([], clock.now() - startedAt) ?? { exitCode: 0 }
  if (reply === 'hangs') await new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve()))
  else await clock.sleep(reply.afterMs ?? 0)
  return textAnswer(200, reply === 'hangs' ? '1' : `${reply.exitCode}`)
}

type Puppet = { readonly name: string; readonly script: Script; readonly origin: string }
type PuppetOf = (name: string) => Puppet
type Fields = Readonly<Record<string, unknown>>

function withPuppets(object: KubeObject, puppetOf: PuppetOf): KubeObject {
  const spec = fieldsAt(object, 'spec') ?? {}
  const template = fieldsAt(spec, 'template') ?? {}
  const inTemplate = (pod: Fields) => ({ ...object, spec: { ...spec, template: { ...template, spec: pod } } })
  const pod = fieldsAt(template, 'spec') ?? {}
  if (object.kind === 'Pod') return { ...object, spec: podOf(spec, puppetOf) }
  if (object.kind === 'Job') return inTemplate(podOf(pod, puppetOf))
  if (object.kind !== 'RunnerSet') return object
  const others = listAt(pod, 'containers').filter((each) => fieldsAt({ each }, 'each')?.['name'] !== 'runner')
  const runner = { name: 'runner', image: 'ghcr.io/actions/actions-runner:latest' }
  return inTemplate(podOf({ ...pod, containers: [...others, runner] }, puppetOf))
}

function podOf(pod: Fields, puppetOf: PuppetOf): Fields {
  const played = (field: string) => {
    const containers = listAt(pod, field).map((each) => containerOf(each as Fields, puppetOf))
    return containers.length === 0 ? {} : { [field]: containers }
  }
  return { ...pod, ...played('initContainers'), ...played('containers') }
}

/** The images of the node have a shell, and no registry has them. */
function containerOf(container: Fields, puppetOf: PuppetOf): Fields {
  const puppet = puppetOf(String(container['name']))
  const { exec, play, endsAfterMs } = puppet.script
  const asking = (_key: string, value: unknown): unknown => {
    const isExec = typeof value === 'object' && value !== null && 'exec' in value
    return isExec ? { ...value, exec: { command: shell(askingProgram(puppet)) } } : value
  }
  const asked = exec ? (JSON.parse(JSON.stringify(container, asking)) as Fields) : container
  const played = play || endsAfterMs !== undefined ? { command: shell(program(puppet)) } : {}
  return { ...asked, ...played, imagePullPolicy: 'IfNotPresent' }
}

const shell = (text: string) => ['/bin/sh', '-c', text]

function program(puppet: Puppet): string {
  const { onTerm = { afterMs: 0, exitCode: 143 } } = puppet.script
  const file = `/tmp/end-of-${puppet.name}`
  return [
    onTerm === 'ignored' ? "trap '' TERM" : `trap 'sleep ${onTerm.afterMs / 1_000}; exit ${onTerm.exitCode}' TERM`,
    'body=$(cat /run/dayfly/credential 2>/dev/null)',
    `wget -q -O ${file} --header 'Content-Type: text/plain' --post-data "$body" "${urlOf(puppet, 'play')}&uuid=$RUNNER_UUID" & wait $!`,
    `exit "$(cat ${file})"`,
  ].join('\n')
}

function askingProgram(puppet: Puppet): string {
  return `exit "$(wget -q -O - "${urlOf(puppet, 'exec')}")"`
}

function urlOf({ origin, name }: Puppet, act: 'play' | 'exec'): string {
  return `${origin}/${act}?container=${name}&pod=$HOSTNAME`
}

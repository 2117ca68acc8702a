// Jobs in pods of their own on a real node, by the hooks of the runner image. DAYFLY_HOOKS names a program of GitHub's own hooks;
// without it, a stand-in makes their requests.
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { textAt } from '@dayfly/kit/read-json'
import type { KubeObject } from '@dayfly/kubernetes/types'
import { beforeAll, describe, expect, it } from 'vitest'
import { pods, secrets } from '../client-place.ts'
import { hooksRunnerImage, importHooks, root } from './images.ts'
import { installed, ready } from './installation.ts'
import { nodeKubeconfig, settle, whyNoNode } from './open-node.ts'
import { fates, jobsOf, queue } from './workload.ts'

const file = nodeKubeconfig
if (file) describe('on a real node', () => suite(file))
else describe('on a real node', () => it('jobs in pods of their own', (context) => context.skip(whyNoNode)))

const given = process.env['DAYFLY_HOOKS']
const hooks = given ?? fileURLToPath(new URL('stand-in-hooks.cjs', import.meta.url))

const registry = { username: 'dayfly', password: 'secret', serverUrl: 'https://registry.test' }

/** Calls the hooks in the order in which the runner does, with the step in between. */
function jobScript(image: string, seconds = 3): string {
  const call = (command: string, args: object) =>
    JSON.stringify({ command, args, responseFile: '/tmp/response.json', state: 'STATE' })
  const prepare = call('prepare_job', {
    container: { image, registry, workingDirectory: '/__w/repo/repo' },
    services: [],
  })
  const run = call('run_script_step', {
    entryPoint: 'sh',
    entryPointArgs: ['-c', 'echo in the pod'],
    workingDirectory: '/__w/repo/repo',
  })
  return [
    'set -e',
    'export RUNNER_WORKSPACE=$HOME/_work/repo GITHUB_WORKSPACE=$HOME/_work/repo/repo',
    'mkdir -p "$GITHUB_WORKSPACE" $HOME/_work/_temp/_runner_file_commands && echo a >$HOME/_work/_temp/_runner_file_commands/a',
    // The runner makes the file to which the hooks write.
    ': >/tmp/response.json',
    `hook() { STATE=$(node -p 'JSON.stringify(JSON.parse(require("fs").readFileSync("/tmp/response.json","utf8")).state)' 2>/dev/null || echo '{}'); sed "s/\\"STATE\\"/$STATE/" | node "$ACTIONS_RUNNER_CONTAINER_HOOKS"; }`,
    `cleanup() { code=$?; echo ${quoted(call('cleanup_job', {}))} | hook; exit $code; }`,
    'trap cleanup EXIT',
    `echo ${quoted(prepare)} | hook`,
    `echo ${quoted(run)} | hook`,
    // The stand-in runs nothing in the pod.
    `sleep ${seconds}`,
  ].join('\n')
}

function quoted(text: string): string {
  return `'${text}'`
}

function suite(kubeconfig: string): void {
  const stage = installed(kubeconfig, { name: 'jobpods', latencyMs: 100, values: { rbac: { jobPods: true } } })

  beforeAll(async () => {
    await importHooks(hooks)
    const { operator, watched, forge } = stage()
    const env = [{ name: 'ACTIONS_RUNNER_PREPARE_JOB_TIMEOUT_SECONDS', value: '40' }]
    const template = { spec: { containers: [{ name: 'runner', image: hooksRunnerImage, env }] } }
    const github = { url: forge.url, plainHttp: true, credentials: { secret: 'github' } }
    const sets = { containers: { scale: { max: 5 }, jobs: 'pods', keepFailed: '0s', template } }
    const chart = path.join(root, 'deploy/chart-runner-set')
    await operator.helm('install', 'sets', chart, '-n', watched, ...operator.values({ defaults: { github }, sets }))
    await ready(stage(), watched, 'containers')
  })

  /** Returns the pods and Secrets that hooks have made. */
  const made = async (): Promise<readonly KubeObject[]> => {
    const { node, watched } = stage()
    const of = { namespace: watched, labelSelector: 'runner-pod' }
    const [ofPods, ofSecrets] = await Promise.all([node.kubernetes.list(pods, of), node.kubernetes.list(secrets, of)])
    return [...ofPods.items, ...ofSecrets.items]
  }
  const nothingLeft = () => settle(made, (left) => left.length === 0, 90_000)
  const jobPod = async () => {
    const all = await settle(made, (found) => found.length === 2 && found.every(isOwned) && isRunning(found[0]), 90_000)
    return all[0]?.metadata
  }
  /** Waits until all jobs have ended. A failed job shows the output of its step. */
  const finished = async (ids: readonly string[], fate: string, ms: number) => {
    const { forge } = stage()
    await settle(
      async () => jobsOf(forge, ids),
      (all) => all.every(({ state }) => state === 'completed'),
      ms,
    )
    const output = jobsOf(forge, ids).flatMap(({ log }) => log.lines)
    expect(fates(forge, ids), output.join('\n')).toEqual({ [fate]: ids.length })
  }
  const logged = (...words: readonly string[]) =>
    settle(stage().log, (lines) => lines.some((line) => words.every((word) => line.includes(word))), 120_000)

  it('ten jobs run in ten pods, and leave nothing', async () => {
    const ids = queue(stage().forge, 'containers', 10, jobScript('localhost/busybox:1'))
    await finished(ids, 'succeeded in 1 run', 300_000)
    await nothingLeft()
  }, 400_000)

  it('a runner that is killed leaves neither the pod of its job nor the credential of its image', async () => {
    const { forge, node, watched } = stage()
    queue(forge, 'containers', 1, jobScript('localhost/busybox:1', 300))
    const name = (await jobPod())?.labels?.['runner-pod'] ?? ''
    await node.kubernetes.delete(pods, { namespace: watched, name }, { gracePeriodSeconds: 0 })
    await nothingLeft()
  }, 300_000)

  it('an image that cannot be pulled is named, and the job leaves nothing', async () => {
    const ids = queue(stage().forge, 'containers', 1, jobScript('localhost/absent:1'))
    await logged('image-missing', '-workflow')
    await finished(ids, 'failed in 1 run', 180_000)
    await nothingLeft()
  }, 400_000)

  it('a pod that is evicted before its job ends puts the success in doubt', async () => {
    const { forge, operator, watched } = stage()
    const ids = queue(forge, 'containers', 1, jobScript('localhost/busybox:1', 20))
    const name = (await jobPod())?.name ?? ''
    const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace: watched } }
    const raw = `/api/v1/namespaces/${watched}/pods/${name}/eviction`
    await operator.kubectl('create', '--raw', raw, '-f', operator.file(JSON.stringify(eviction)))
    await finished(ids, 'succeeded in 1 run', 120_000)
    await logged('evicted', 'called a success')
    await nothingLeft()
  }, 300_000)
}

/** Returns whether it belongs to the pod of its runner. */
function isOwned({ metadata }: KubeObject): boolean {
  return (metadata.ownerReferences ?? []).length > 0
}

function isRunning(pod: KubeObject | undefined): boolean {
  return textAt(pod, 'status', 'phase') === 'Running'
}

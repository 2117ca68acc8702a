// Tests `dayfly cluster` with an unmodified kubectl over real HTTP. Each test has its own namespace, so that tests can run concurrently.
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Cli, createWorld, until, type World } from '../cli.ts'
import { findKubectl } from './kubectl.ts'

const execute = promisify(execFile)

let obstacle: string | undefined
let program: string
let world: World
let cluster: Cli
let environment: NodeJS.ProcessEnv
const children: ChildProcess[] = []

beforeAll(async () => {
  const found = await findKubectl()
  if (found.is === 'missing') obstacle = found.why
  if (found.is === 'missing') return
  program = found.program
  world = createWorld()
  mkdirSync(path.join(world.directory, 'own'))
  cluster = world.start('cluster', '--json')
  const line = await until('the cluster prints its address', 10_000, () => /^\{.*\}$/m.exec(cluster.stdout())?.[0])
  const { kubeconfig } = JSON.parse(line)
  environment = { ...process.env, KUBECONFIG: kubeconfig, HOME: path.join(world.directory, 'own') }
})

afterAll(async () => {
  if (obstacle) return
  for (const child of children) child.kill('SIGKILL')
  cluster.child.kill('SIGKILL')
  world.end()
})

type Result = { readonly code: number; readonly stdout: string; readonly stderr: string }

/** Runs kubectl, which may fail. */
async function attempt(args: readonly string[], input = ''): Promise<Result> {
  const all = ['--cache-dir', path.join(world.directory, 'own', 'cache'), ...args]
  const running = execute(program, all, { env: environment, timeout: 30_000 })
  running.child.stdin?.end(input)
  return await running.then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
  )
}

/** Runs kubectl, which must succeed, and resolves with its output. */
async function kubectl(...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await attempt(args)
  if (code !== 0) throw new Error(`kubectl ${args.join(' ')} ended with ${code}:\n${stdout}${stderr}`)
  return stdout
}

async function apply(namespace: string, manifest: object | string, ...more: readonly string[]): Promise<Result> {
  const text = typeof manifest === 'string' ? manifest : JSON.stringify(manifest)
  return await attempt(['-n', namespace, 'apply', '-f', '-', ...more], text)
}

/** Starts a kubectl that does not end by itself. Returns a function that returns its output so far. */
function follow(...args: readonly string[]): () => string {
  const all = ['--cache-dir', path.join(world.directory, 'own', 'cache'), ...args]
  const child = spawn(program, all, { env: environment, stdio: ['ignore', 'pipe', 'pipe'] })
  children.push(child)
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      output += chunk
    })
  return () => output
}

/** Splits a table into rows and cells. Two or more spaces separate cells. */
function rows(table: string): readonly (readonly string[])[] {
  return table
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/ {2,}/))
}

function shell(name: string, script: string, more: object = {}) {
  const container = { name: 'main', image: 'busybox', command: ['sh', '-c', script] }
  const spec = { restartPolicy: 'Never', terminationGracePeriodSeconds: 1, containers: [container] }
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name, ...more }, spec }
}

/** Declares a test with its own namespace. The test is skipped if there is no kubectl. */
function kubectlTest(name: string, namespace: string, run: (namespace: string) => Promise<void>): void {
  test.concurrent(name, { timeout: 40_000 }, async (context) => {
    if (obstacle) context.skip(obstacle)
    await kubectl('create', 'namespace', namespace)
    await run(namespace)
  })
}

describe('kubectl', () => {
  kubectlTest('shows the cluster', 'overview', async () => {
    const [nodes, wide, kinds, version, ready] = await Promise.all([
      kubectl('get', 'nodes'),
      kubectl('get', 'nodes', '-o', 'wide'),
      kubectl('api-resources'),
      kubectl('version', '-o', 'json'),
      kubectl('get', '--raw', '/readyz'),
    ])
    expect(rows(nodes)[0]).toEqual(['NAME', 'STATUS', 'ROLES', 'AGE', 'VERSION'])
    expect(rows(nodes)[1]).toEqual(['dayfly', 'Ready', '<none>', expect.stringMatching(/^\d+s$/), 'v1.36.0'])
    expect(rows(wide)[0]).toContain('CONTAINER-RUNTIME')
    expect(kinds).toMatch(/^pods +po +v1 +true +Pod$/m)
    expect(kinds).toMatch(/^leases +coordination.k8s.io\/v1 +true +Lease$/m)
    expect(JSON.parse(version).serverVersion).toMatchObject({ major: '1', minor: '36' })
    expect(ready).toBe('ok')
    const described = await kubectl('describe', 'node', 'dayfly')
    expect(described).toMatch(/Ready +True .* KubeletReady/)
    expect(described).toMatch(/InternalIP: +127\.0\.0\.1/)
    const namespaces = rows(await kubectl('get', 'namespaces'))
    expect(namespaces).toContainEqual(['default', 'Active', expect.any(String)])
  })

  kubectlTest("follows a pod's whole life", 'life', async (namespace) => {
    const watched = follow('-n', namespace, 'get', 'pods', '-w')
    const gate = path.join(world.directory, 'own', 'gate')
    const script = `echo line 1; until [ -e ${gate} ]; do sleep 0.05; done; echo line 2`
    const run = ['run', 'worker', '--image=busybox', '--restart=Never', '--command', '--', 'sh', '-c', script]
    expect(await kubectl('-n', namespace, ...run)).toBe('pod/worker created\n')
    expect(await kubectl('-n', namespace, 'wait', '--for=condition=Ready', 'pod/worker', '--timeout=10s')).toBe(
      'pod/worker condition met\n',
    )
    const log = follow('-n', namespace, 'logs', '-f', 'worker')
    await until('the log is followed', 10_000, () => log() === 'line 1\n')
    writeFileSync(gate, '')
    await until('the log goes on', 10_000, () => log() === 'line 1\nline 2\n')
    await kubectl('-n', namespace, 'wait', '--for=jsonpath={.status.phase}=Succeeded', 'pod/worker', '--timeout=10s')
    await until('the watch shows the end', 5_000, () => /^worker +0\/1 +Completed/m.test(watched()))
    expect(watched()).toMatch(/^worker +1\/1 +Running +0/m)
    const [table, yaml, described, events, tail, previous] = await Promise.all([
      kubectl('-n', namespace, 'get', 'pod', 'worker', '-o', 'wide'),
      kubectl('-n', namespace, 'get', 'pod', 'worker', '-o', 'yaml'),
      kubectl('-n', namespace, 'describe', 'pod', 'worker'),
      kubectl('-n', namespace, 'events', '--for', 'pod/worker'),
      kubectl('-n', namespace, 'logs', 'worker', '--tail=1', '--timestamps'),
      attempt(['-n', namespace, 'logs', 'worker', '--previous']),
    ])
    expect(rows(table)[0]?.slice(0, 7)).toEqual(['NAME', 'READY', 'STATUS', 'RESTARTS', 'AGE', 'IP', 'NODE'])
    expect(rows(table)[1]).toEqual([
      'worker',
      '0/1',
      'Completed',
      '0',
      expect.any(String),
      expect.stringMatching(/^127\./),
      'dayfly',
      '<none>',
      '<none>',
    ])
    expect(yaml).toMatch(/^kind: Pod$/m)
    expect(yaml).toMatch(/^ {2}nodeName: dayfly$/m)
    expect(yaml).toMatch(/^ {2}phase: Succeeded$/m)
    expect(described).toMatch(/State: +Terminated\n +Reason: +Completed\n +Exit Code: +0/)
    expect(described).toMatch(/Scheduled .*Successfully assigned life\/worker to dayfly/)
    expect(described).toMatch(/Started .*kubelet +Container started/)
    expect(rows(events)[0]).toEqual(['LAST SEEN', 'TYPE', 'REASON', 'OBJECT', 'MESSAGE'])
    expect(events).toMatch(/Normal +Started +Pod\/worker +Container started/)
    expect(tail).toMatch(/^\d{4}-\d\d-\d\dT\S+Z line 2\n$/)
    expect(previous.stderr).toContain('previous terminated container "worker" in pod "worker" not found')
    expect(await kubectl('-n', namespace, 'delete', 'pod', 'worker')).toContain('pod "worker" deleted')
    expect((await attempt(['-n', namespace, 'get', 'pods'])).stderr).toContain('No resources found in life namespace.')
  })

  kubectlTest('deletes pods and waits for their end', 'deletion', async (namespace) => {
    await apply(namespace, shell('slow', 'trap "sleep 0.5; exit 0" TERM; sleep 600 & wait'))
    await apply(namespace, shell('label', 'sleep 600', { labels: { app: 'x' } }))
    await kubectl('-n', namespace, 'wait', '--for=condition=Ready', 'pod', '--all', '--timeout=10s')
    const waiting = kubectl('-n', namespace, 'wait', '--for=delete', 'pod/slow', '--timeout=20s')
    expect(await kubectl('-n', namespace, 'delete', 'pod', 'slow')).toContain('pod "slow" deleted')
    expect(await waiting).toBe('pod/slow condition met\n')
    const selected = await kubectl('-n', namespace, 'delete', 'pods', '-l', 'app=x', '--dry-run=server')
    expect(selected).toContain('pod "label" deleted (server dry run)')
    expect(await kubectl('-n', namespace, 'get', 'pods', '-l', 'app=x', '-o', 'name')).toBe('pod/label\n')
    const forced = await kubectl('-n', namespace, 'delete', 'pods', '--all', '--force', '--grace-period=0')
    expect(forced).toBe('pod "label" force deleted\n')
    expect(await kubectl('-n', namespace, 'get', 'pods', '-o', 'name')).toBe('')
    expect((await attempt(['-n', namespace, 'delete', 'pod', 'slow'])).stderr).toContain('pods "slow" not found')
    expect(await kubectl('delete', 'namespace', namespace, '--timeout=20s')).toContain(
      `namespace "${namespace}" deleted`,
    )
  })

  kubectlTest('applies a new, an unchanged, a changed and an invalid manifest', 'apply', async (namespace) => {
    const settings = (data: object) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' }, data })
    const worker = shell('worker', 'sleep 600')
    const list = (...items: object[]) => ({ apiVersion: 'v1', kind: 'List', items })
    const outcome = async (manifest: object) => (await apply(namespace, manifest)).stdout
    expect(await outcome(list(worker, settings({ a: '1', b: '2' })))).toBe(
      'pod/worker created\nconfigmap/settings created\n',
    )
    expect(await outcome(list(worker, settings({ a: '1', b: '2' })))).toBe(
      'pod/worker unchanged\nconfigmap/settings unchanged\n',
    )
    const labelled = { ...worker, metadata: { ...worker.metadata, labels: { tier: 'one' } } }
    expect(await outcome(list(labelled, settings({ b: '3' })))).toBe(
      'pod/worker configured\nconfigmap/settings configured\n',
    )
    expect(await kubectl('-n', namespace, 'get', 'configmap', 'settings', '-o', 'jsonpath={.data}')).toBe('{"b":"3"}')
    expect(await kubectl('-n', namespace, 'get', 'pods', '-L', 'tier')).toMatch(/^worker .* one$/m)
    const unknown = await apply(namespace, { ...settings({}), datum: { a: '1' } })
    expect([unknown.code, unknown.stderr]).toEqual([
      1,
      expect.stringContaining('strict decoding error: unknown field "datum"'),
    ])
    const broken = shell('broken', 'true')
    Object.assign(broken.spec.containers[0] ?? {}, { volumeMounts: [{ name: 'nope', mountPath: '/x' }] })
    const refused = await apply(namespace, broken)
    expect(refused.stderr).toContain(
      'The Pod "broken" is invalid: spec.containers[0].volumeMounts[0].name: Not found: "nope"',
    )
    const immutable = await apply(namespace, { ...worker, spec: { ...worker.spec, hostNetwork: true } })
    expect(immutable.stderr).toContain(
      'The Pod "worker" is invalid: spec: Forbidden: pod updates may not change fields',
    )
    const serverSide = await apply(namespace, settings({ b: '9' }), '--server-side', '--field-manager=other')
    expect(serverSide.stderr).toContain('conflict with "kubectl-client-side-apply" using v1: .data.b')
    const forced = ['--server-side', '--field-manager=other', '--force-conflicts']
    expect((await apply(namespace, settings({ b: '9' }), ...forced)).stdout).toBe(
      'configmap/settings serverside-applied\n',
    )
    const diff = await attempt(['-n', namespace, 'diff', '-f', '-'], JSON.stringify(settings({ b: '4' })))
    expect(diff.code).toBeGreaterThan(0)
  })

  kubectlTest('creates, labels, annotates and patches objects', 'changes', async (namespace) => {
    const here = (...args: readonly string[]) => kubectl('-n', namespace, ...args)
    await Promise.all([
      here('create', 'configmap', 'settings', '--from-literal=a=1'),
      here('create', 'secret', 'generic', 'keys', '--from-literal=password=hidden'),
      here('create', 'serviceaccount', 'robot'),
    ])
    expect(rows(await here('get', 'secrets'))).toContainEqual(['keys', 'Opaque', '1', expect.any(String)])
    expect(await here('get', 'secret', 'keys', '-o', 'jsonpath={.data.password}')).toBe('aGlkZGVu')
    const again = await attempt(['-n', namespace, 'create', 'configmap', 'settings'])
    expect(again.stderr).toContain('configmaps "settings" already exists')
    expect(await here('annotate', 'configmap', 'settings', 'note=x')).toBe('configmap/settings annotated\n')
    expect(await here('label', 'configmap', 'settings', 'app=x')).toBe('configmap/settings labeled\n')
    expect(await here('label', 'configmap', 'settings', 'app-')).toBe('configmap/settings unlabeled\n')
    await here('patch', 'configmap', 'settings', '-p', '{"data":{"b":"2"}}')
    await here('patch', 'configmap', 'settings', '--type=merge', '-p', '{"data":{"a":null}}')
    await here('patch', 'configmap', 'settings', '--type=json', '-p', '[{"op":"add","path":"/data/c","value":"3"}]')
    expect(await here('get', 'configmap', 'settings', '-o', 'jsonpath={.data}{.metadata.annotations}')).toBe(
      '{"b":"2","c":"3"}{"note":"x"}',
    )
    expect(await here('describe', 'configmap', 'settings')).toMatch(/^c:\n----\n3$/m)
    const stale = await here('get', 'configmap', 'settings', '-o', 'yaml')
    await here('annotate', 'configmap', 'settings', 'note=y', '--overwrite')
    expect((await attempt(['replace', '-f', '-'], stale)).stderr).toContain('the object has been modified')
  })

  kubectlTest('runs a server-side dry run without writing', 'dry', async (namespace) => {
    const run = ['run', 'ghost', '--image=busybox', '--dry-run=server']
    expect(await kubectl('-n', namespace, ...run)).toBe('pod/ghost created (server dry run)\n')
    const shown = await kubectl('-n', namespace, ...run, '-o', 'yaml')
    expect(shown).toMatch(/^ {2}uid: /m)
    expect(shown).toMatch(/^ {2}terminationGracePeriodSeconds: 30$/m)
    expect(await kubectl('-n', namespace, 'get', 'pods', '-o', 'name')).toBe('')
  })

  kubectlTest('works with custom resources', 'custom', async (namespace) => {
    const here = (...args: readonly string[]) => kubectl('-n', namespace, ...args)
    expect((await apply(namespace, widgets)).stdout).toContain(
      'customresourcedefinition.apiextensions.k8s.io/widgets.example.dev created',
    )
    await kubectl('wait', '--for=condition=Established', 'crd/widgets.example.dev', '--timeout=10s')
    const widget = (spec: object) => ({ apiVersion: 'example.dev/v1', kind: 'Widget', metadata: { name: 'one' }, spec })
    expect((await apply(namespace, widget({ max: 3 }))).stdout).toBe('widget.example.dev/one created\n')
    expect((await apply(namespace, widget({ max: 3 }))).stdout).toBe('widget.example.dev/one unchanged\n')
    expect((await apply(namespace, widget({ max: 4 }))).stdout).toBe('widget.example.dev/one configured\n')
    const age = expect.stringMatching(/^\d+s$/)
    expect(rows(await here('get', 'widgets'))).toEqual([
      ['NAME', 'MAX', 'READY', 'AGE'],
      ['one', '4', age],
    ])
    const condition = '{"status":{"conditions":[{"type":"Ready","status":"True"}]}}'
    const waiting = here('wait', '--for=condition=Ready', 'widget/one', '--timeout=10s')
    await here('patch', 'widget', 'one', '--subresource=status', '--type=merge', '-p', condition)
    expect(await waiting).toBe('widget.example.dev/one condition met\n')
    expect(rows(await here('get', 'wd', '-o', 'wide'))).toEqual([
      ['NAME', 'MAX', 'READY', 'AGE', 'NAMES'],
      ['one', '4', 'True', age],
    ])
    expect(await here('describe', 'widget', 'one')).toMatch(/^Spec:\n +Max: +4$/m)
    expect(await kubectl('explain', 'widget.spec')).toMatch(/max\t<integer> -required-\n +The most of it\./)
    expect(await kubectl('api-resources', '--api-group=example.dev')).toMatch(
      /^widgets +wd +example.dev\/v1 +true +Widget$/m,
    )
    const negative = await apply(namespace, widget({ max: -1 }))
    expect(negative.stderr).toContain(
      'spec.max: Invalid value: -1: spec.max in body should be greater than or equal to 0',
    )
    const unknown = await apply(namespace, widget({ max: 4, color: 'red' }))
    expect(unknown.stderr).toContain('strict decoding error: unknown field "spec.color"')
    expect(await here('delete', 'widgets', '--all')).toContain('widget.example.dev "one" deleted')
    await kubectl('delete', 'crd', 'widgets.example.dev', '--timeout=10s')
    expect((await attempt(['get', 'widgets'])).stderr).toMatch(
      /doesn't have a resource type|could not find the requested/,
    )
  })

  kubectlTest('limits a namespace and shows what it uses', 'limited', async (namespace) => {
    const here = (...args: readonly string[]) => kubectl('-n', namespace, ...args)
    await here('create', 'quota', 'small', '--hard=pods=1,limits.memory=1Gi,count/configmaps=5')
    const limits = [{ type: 'Container', default: { memory: '256Mi' } }]
    const range = { apiVersion: 'v1', kind: 'LimitRange', metadata: { name: 'usual' }, spec: { limits } }
    expect((await apply(namespace, range)).stderr).toBe('')
    await apply(namespace, shell('one', 'sleep 600'))
    const refused = await apply(namespace, shell('two', 'sleep 600'))
    expect(refused.stderr).toContain(
      'pods "two" is forbidden: exceeded quota: small, requested: pods=1, used: pods=1, limited: pods=1',
    )
    expect(rows(await here('get', 'quota'))).toEqual([
      ['NAME', 'REQUEST', 'LIMIT', 'AGE'],
      ['small', 'count/configmaps: 1/5, pods: 1/1', 'limits.memory: 256Mi/1Gi', expect.any(String)],
    ])
    expect(await here('describe', 'quota', 'small')).toMatch(/^pods +1 +1$/m)
    expect(await here('describe', 'limits', 'usual')).toMatch(/^Container +memory +- +- +256Mi +256Mi +-$/m)
    await here('delete', 'pod', 'one')
    expect(await here('get', 'quota', 'small', '-o', 'jsonpath={.status.used.pods}')).toBe('0')
  })

  kubectlTest('creates a class, and evicts a pod', 'classes', async (namespace) => {
    const here = (...args: readonly string[]) => kubectl('-n', namespace, ...args)
    await kubectl('create', 'priorityclass', 'high', '--value=1000', '--description=first')
    expect(rows(await kubectl('get', 'pc', 'high'))[1]).toEqual([
      'high',
      '1000',
      'false',
      expect.any(String),
      'PreemptLowerPriority',
    ])
    const pod = shell('first', 'sleep 600')
    expect((await apply(namespace, { ...pod, spec: { ...pod.spec, priorityClassName: 'high' } })).stderr).toBe('')
    expect(await here('get', 'pod', 'first', '-o', 'jsonpath={.spec.priority}')).toBe('1000')
    await here('wait', '--for=condition=Ready', 'pod/first', '--timeout=10s')
    const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'first', namespace } }
    const raw = ['create', '--raw', `/api/v1/namespaces/${namespace}/pods/first/eviction`, '-f', '-']
    expect((await attempt(raw, JSON.stringify(eviction))).stdout).toContain('"status":"Success"')
    await here('wait', '--for=delete', 'pod/first', '--timeout=10s')
    await kubectl('delete', 'priorityclass', 'high')
  })

  kubectlTest('explains built-in kinds and lists by selector', 'questions', async (namespace) => {
    expect(await kubectl('explain', 'pod.spec.terminationGracePeriodSeconds')).toMatch(
      /FIELD: terminationGracePeriodSeconds <integer>/,
    )
    await apply(namespace, shell('a', 'sleep 600', { labels: { app: 'x', tier: 'one' } }))
    await apply(namespace, shell('b', 'sleep 600', { labels: { app: 'y' } }))
    const names = (...query: readonly string[]) => kubectl('-n', namespace, 'get', 'pods', '-o', 'name', ...query)
    expect(await names('-l', 'app in (x),tier')).toBe('pod/a\n')
    expect(await names('-l', 'app!=x')).toBe('pod/b\n')
    expect(await names('--field-selector', 'metadata.name=b')).toBe('pod/b\n')
    expect(await names('--chunk-size=1')).toBe('pod/a\npod/b\n')
    const wrong = await attempt(['-n', namespace, 'get', 'pods', '--field-selector', 'spec.color=red'])
    expect(wrong.stderr).toContain('field label not supported: spec.color')
    expect(await kubectl('get', 'pods', '-A')).toMatch(/^questions +a +/m)
  })
})

test('an interrupted cluster ends its pods and leaves no process and no file', async (context) => {
  if (obstacle) context.skip(obstacle)
  await kubectl('run', 'survivor', '--image=busybox', '--command', '--', 'sh', '-c', 'setsid sleep 300 & sleep 300')
  await kubectl('wait', '--for=condition=Ready', 'pod/survivor', '--timeout=10s')
  for (const child of children.splice(0)) child.kill('SIGKILL')
  cluster.child.kill('SIGINT')
  expect(await cluster.ended).toEqual({ code: 0, signal: null })
  expect(cluster.stderr()).toBe('')
  await until('no process is left', 5_000, () => world.processes().length === 0)
  expect(world.files()).toEqual([])
})

const widgets = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.dev' },
  spec: {
    group: 'example.dev',
    scope: 'Namespaced',
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget', shortNames: ['wd'] },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        additionalPrinterColumns: [
          { name: 'Max', type: 'integer', jsonPath: '.spec.max' },
          { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
          { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
          { name: 'Names', type: 'string', jsonPath: '.spec.names', priority: 1 },
        ],
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                required: ['max'],
                properties: {
                  max: { type: 'integer', minimum: 0, description: 'The most of it.' },
                  names: { type: 'array', items: { type: 'string' } },
                },
              },
              status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
            },
          },
        },
      },
    ],
  },
}

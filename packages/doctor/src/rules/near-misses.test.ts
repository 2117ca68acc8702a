// Cases that are too detailed for the rules' pages: what a rule does not report, and what its fix does not do.
import { expect, test } from 'vitest'
import { decodeFiles, examine } from '../engine/examine.ts'
import { undeclaredVersion } from '../version-fact.ts'
import { catalogue } from './catalogue.ts'

type Fields = Readonly<Record<string, unknown>>

function findingsOf(rule: string, object: Fields, minor?: number) {
  const files = decodeFiles([{ path: 'a.yaml', text: JSON.stringify(object) }])
  const version = minor === undefined ? undeclaredVersion : { minors: [minor], declared: true, from: 'test' }
  return examine(
    files,
    catalogue.filter(({ slug }) => slug === rule),
    { version },
  ).findings
}

const runner = { name: 'runner', image: 'ghcr.io/actions/actions-runner:2.329.0' }
const pod = (spec: Fields): Fields => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p' },
  spec: { restartPolicy: 'Never', containers: [runner], ...spec },
})

const docker = { image: 'docker:27-dind', restartPolicy: 'Always', name: 'docker' }
test.each<[Fields, readonly string[] | undefined]>([
  [{}, ['docker', 'info']],
  [{ args: ['--host=tcp://0.0.0.0:2375'] }, ['docker', 'info']],
  [{ args: ['dockerd', '--host=unix:///run/docker.sock'] }, ['docker', 'info']],
  [{ args: ['dockerd', '-H', 'unix:///tmp/d.sock'] }, ['docker', '--host=unix:///tmp/d.sock', 'info']],
  [{ args: ['dockerd', '-H', 'tcp://:2376'] }, ['docker', '--host=tcp://127.0.0.1:2376', 'info']],
  [{ command: ['sh', '-c', 'exec dockerd -H tcp://0.0.0.0'] }, ['docker', '--host=tcp://127.0.0.1:2375', 'info']],
  [{ args: ['dockerd', '--host=tcp://0.0.0.0:2376', '--tlsverify'] }, undefined],
  [{ args: ['dockerd', '--host=tcp://10.0.0.1:2375'] }, undefined],
  [{ args: ['dockerd', '--host=$(WHERE)'] }, undefined],
  [
    { env: [{ name: 'DOCKER_HOST', value: 'tcp://localhost:2375' }] },
    ['docker', '--host=unix:///var/run/docker.sock', 'info'],
  ],
  [{ env: [{ name: 'DOCKER_HOST', value: 'unix:///tmp/d.sock' }] }, ['docker', 'info']],
  [{ env: [{ name: 'DOCKER_HOST', valueFrom: {} }] }, undefined],
  [{ args: ['dockerd', '--host=unix:///run/dind/d.sock'] }, ['docker', '--host=unix:///run/dind/d.sock', 'info']],
  [{ image: 'docker:27-dind-rootless' }, ['docker', '--host=unix:///run/user/1000/docker.sock', 'info']],
  [{ image: 'docker:27-dind-rootless', securityContext: { runAsUser: 1001 } }, undefined],
  [{ image: 'docker:27-dind-rootless', env: [{ name: 'XDG_RUNTIME_DIR', value: '/x' }] }, undefined],
  [{ image: 'registry.example/rootless-dind:1' }, undefined],
  [{ securityContext: { runAsUser: 1000 } }, undefined],
])('dind-no-startup-probe probes the socket or port of the daemon: %j', (fields, command) => {
  const [finding] = findingsOf('dind-no-startup-probe', pod({ initContainers: [{ ...docker, ...fields }] }))
  expect(finding).toBeDefined()
  const [edit] = finding?.fix?.edits ?? []
  expect(edit).toEqual(command && expect.objectContaining({ value: expect.objectContaining({ exec: { command } }) }))
})

test('dind-no-startup-probe: only an init container after the daemon can wait for it', () => {
  const wait = { name: 'wait', image: 'docker:cli', command: ['sh', '-c', 'until docker info; do sleep 1; done'] }
  expect(findingsOf('dind-no-startup-probe', pod({ initContainers: [wait, docker] }))).toHaveLength(1)
  expect(findingsOf('dind-no-startup-probe', pod({ initContainers: [docker, wait] }))).toEqual([])
})

test.each<[string, number]>([
  ['set -e; timeout 30 sh -c "until nc -z localhost 1; do sleep 1; done"', 0],
  ['curl -sfm 5 http://localhost/ready || true', 0],
  ['curl --max-time 5 http://localhost/ready', 0],
  ['nc -z -w 2 localhost 80 2>&1', 0],
  ['for i in 1 2 3; do curl http://localhost && exit 0; sleep 1; done; exit 1', 0],
  ['for ((i = 0; i < 30; i++)); do docker info && break; sleep 1; done', 0],
  ['for i in {1..30}; do docker info >/dev/null 2>&1 && break; sleep 1; done', 0],
  ['echo waiting for docker', 0],
  ['test -f /etc/own/env && . /etc/own/env || echo none', 0],
  ['for i in 1 2; do touch a; done; curl http://localhost', 1],
  ['for i in 1 2; do while ! test -e /a; do sleep 1; done; done', 1],
  ['for i in $(seq 3); do mount -t nfs a:/b /c; done', 1],
  ['until curl -m 1 http://localhost; do sleep 1; done', 1],
  ['TOKEN=$(curl http://localhost/token)', 1],
  ['tail -F /var/log/a', 1],
  ['nc -lw 5 -p 80', 1],
])('unbounded-poststart distinguishes a wait with a limit from one without: %s', (script, count) => {
  const lifecycle = { postStart: { exec: { command: ['/bin/bash', '-c', script] } } }
  expect(findingsOf('unbounded-poststart', pod({ containers: [{ ...runner, lifecycle }] }))).toHaveLength(count)
})

test('docker-root-unbounded finds the data of a rootless daemon in its home directory', () => {
  const at = (mountPath: string, emptyDir: Fields) =>
    findingsOf(
      'docker-root-unbounded',
      pod({
        initContainers: [{ ...docker, image: 'docker:27-dind-rootless', volumeMounts: [{ name: 'data', mountPath }] }],
        volumes: [{ name: 'data', emptyDir }],
      }),
    )
  const home = '/home/rootless/.local/share/docker'
  expect(at(home, { sizeLimit: '20Gi' })).toEqual([])
  expect(at('/home/rootless', { sizeLimit: '20Gi' })).toEqual([])
  expect(at(home, {})).toHaveLength(1)
  expect(at('/var/lib/docker', { sizeLimit: '20Gi' })).toHaveLength(1)
})

test('docker-root-unbounded finds the data of a non-root daemon in the mounted home directory', () => {
  const found = (runAsUser: number, sizeLimit?: string) =>
    findingsOf(
      'docker-root-unbounded',
      pod({
        initContainers: [
          {
            ...docker,
            image: 'registry.example/engine-dind:1',
            args: ['dockerd'],
            securityContext: { privileged: true, runAsUser },
            volumeMounts: [{ name: 'home', mountPath: '/home/builder' }],
          },
        ],
        volumes: [{ name: 'home', emptyDir: { ...(sizeLimit ? { sizeLimit } : {}) } }],
      }),
    )
  expect(found(1001, '20Gi')).toEqual([])
  expect(found(1001)[0]?.message).toContain('home')
  expect(found(0, '20Gi')[0]?.message).toContain('/var/lib/docker')
})

test('probe-without-sidecar does not propose a sidecar for a version without sidecars', () => {
  const { restartPolicy: _, ...plain } = docker
  const object = pod({ initContainers: [{ ...plain, startupProbe: { exec: { command: ['docker', 'info'] } } }] })
  const fixAt = (minor: number) => findingsOf('probe-without-sidecar', object, minor)[0]?.fix
  expect(fixAt(28)).toBeUndefined()
  expect(fixAt(29)?.edits).toEqual([expect.objectContaining({ value: 'Always' })])
})

test("stale-docker-pid: a runner set's pod without restartPolicy never restarts", () => {
  const engine = { name: 'docker', image: 'registry.example/engine:1', command: ['dockerd'] }
  const containers = [runner, { ...engine, volumeMounts: [{ name: 'run', mountPath: '/var/run' }] }]
  const spec = { containers, volumes: [{ name: 'run', emptyDir: {} }] }
  const set = { apiVersion: 'actions.github.com/v1alpha1', kind: 'AutoscalingRunnerSet', metadata: { name: 's' } }
  expect(findingsOf('stale-docker-pid', { ...set, spec: { template: { spec } } })).toEqual([])
  expect(findingsOf('stale-docker-pid', pod({ ...spec, restartPolicy: undefined }))).toHaveLength(1)
})

test('docker-root-unbounded says only that the data has no size limit, because the image may declare a volume', () => {
  const [finding] = findingsOf('docker-root-unbounded', pod({ initContainers: [docker] }))
  expect(finding?.message).toMatch(/no size limit/)
  expect(finding?.message).not.toMatch(/overlay|own file system/i)
})

test('dind-ordinary-container: no fix makes a daemon restart beside its own pid files', () => {
  const engine = { name: 'docker', image: 'docker:27-dind', volumeMounts: [{ name: 'run', mountPath: '/var/run' }] }
  const findingOf = (fields: Fields) => {
    const spec = { containers: [runner, { ...engine, ...fields }], volumes: [{ name: 'run', emptyDir: {} }] }
    return findingsOf('dind-ordinary-container', pod(spec), 33)[0]
  }
  const held = findingOf({ command: ['dockerd'] })
  expect(held?.fix).toBeUndefined()
  expect(held?.message).toContain('First set --pidfile and --exec-root')
  expect(findingOf({ command: ['sh', '-c'], args: ['dockerd'] })?.fix).toBeUndefined()
  const outside = ['dockerd', '--pidfile=/tmp/docker.pid', '--exec-root=/tmp/docker']
  expect([{ command: outside }, { args: ['dockerd'] }, {}].map((each) => findingOf(each)?.fix?.safety)).toEqual([
    'safe',
    'safe',
    'safe',
  ])
})

test('dind-ordinary-container: a script that ends one daemon does not end another one', () => {
  const found = (script: string) =>
    findingsOf(
      'dind-ordinary-container',
      pod({
        shareProcessNamespace: true,
        containers: [
          { name: 'work', image: 'x', command: ['sh', '-c', script] },
          { name: 'docker', image: 'docker:27-dind' },
          { name: 'buildkitd', image: 'moby/buildkit:v0.12' },
        ],
      }),
    ).map(({ container }) => container)
  expect(found('make; pkill dockerd')).toEqual(['buildkitd'])
  expect(found('make; kill $(pidof buildkitd)')).toEqual(['docker'])
  expect(found('make; pkill -f daemon')).toEqual([])
})

test("dind-ordinary-container separates BuildKit's daemon from its client by their arguments", () => {
  const work = { name: 'work', image: 'x' }
  const count = (...args: string[]) =>
    findingsOf('dind-ordinary-container', pod({ containers: [work, { name: 'b', image: 'registry.example/b', args }] }))
      .length
  expect(count('--addr', 'unix:///run/buildkit/buildkitd.sock')).toBe(1)
  expect(count('--config=/etc/buildkit/buildkitd.toml')).toBe(1)
  expect(count('--addr', 'tcp://buildkitd:1234', 'build', '--frontend=dockerfile.v0')).toBe(0)
  expect(count('--addr', 'tcp://0.0.0.0:1234')).toBe(0)
})

test("stale-docker-pid: an unknown image's entry point may delete the files", () => {
  const sidecar = { name: 'docker', restartPolicy: 'Always', volumeMounts: [{ name: 'run', mountPath: '/run' }] }
  const confidenceOf = (fields: Fields) =>
    findingsOf('stale-docker-pid', pod({ initContainers: [{ ...sidecar, ...fields }] }))[0]?.confidence
  expect(confidenceOf({ image: 'registry.example/engine:1', args: ['dockerd'] })).toBe('medium')
  expect(confidenceOf({ image: 'registry.example/engine:1', command: ['dockerd'] })).toBe('high')
  expect(confidenceOf({ image: 'registry.example/dind:1', args: ['dockerd'] })).toBeUndefined()
})

test('retry-reuses-registration does not change a limit that a template computes', () => {
  const job = (backoffLimit: unknown): Fields => ({
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'j' },
    spec: { backoffLimit, template: { spec: { restartPolicy: 'OnFailure', containers: [runner] } } },
  })
  const pathsOf = (limit: unknown) =>
    findingsOf('retry-reuses-registration', job(limit))[0]?.fix?.edits.map((edit) => 'path' in edit && edit.path.at(-1))
  expect(pathsOf('{{ .Values.retries }}')).toEqual(['restartPolicy'])
  expect(pathsOf(6)).toEqual(['restartPolicy', 'backoffLimit'])
})

const jobWith = (spec: Fields, ...containers: readonly Fields[]): Fields => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: 'j' },
  spec: { ...spec, template: { spec: { restartPolicy: 'Never', containers } } },
})

test('ttl-missing: an empty TTL counts as missing, and a Job that cannot end or has a misplaced TTL gets no fix', () => {
  const fixOf = (object: Fields) => findingsOf('ttl-missing', object)[0]?.fix?.safety
  expect(fixOf(jobWith({ ttlSecondsAfterFinished: null }, runner))).toBe('safe')
  expect(fixOf(jobWith({}, runner, { name: 'docker', image: 'docker:27-dind' }))).toBeUndefined()
  expect(fixOf(jobWith({}, { ...runner, ttlSecondsAfterFinished: 60 }))).toBeUndefined()
  expect(findingsOf('ttl-missing', jobWith({ ttlSecondsAfterFinished: 0 }, runner))).toEqual([])
})

test('ttl-misplaced: the fix moves a TTL from a container to the Job', () => {
  const [finding] = findingsOf('ttl-misplaced', jobWith({}, { ...runner, ttlSecondsAfterFinished: 600 }))
  expect(finding?.fix?.edits).toEqual([
    {
      do: 'carry',
      from: ['spec', 'template', 'spec', 'containers', 0, 'ttlSecondsAfterFinished'],
      to: ['spec'],
    },
  ])
})

test('init-restart-policy-invalid judges the field on an ordinary container by version and by the end of the pod', () => {
  const countAt = (restartPolicy: string, more: object = {}) => {
    const object = pod({ containers: [{ ...runner, restartPolicy, ...more }] })
    return [27, 28, 33, 34, 35, 36, undefined].map(
      (minor) => findingsOf('init-restart-policy-invalid', object, minor).length,
    )
  }
  expect(countAt('Never')).toEqual([0, 1, 1, 0, 0, 0, 1])
  expect(countAt('Never', { restartPolicyRules: [] })).toEqual([0, 1, 1, 0, 0, 0, 0])
  expect(countAt('Always')).toEqual([0, 1, 1, 1, 1, 1, 1])
  const service = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'd' } }
  const lasting = { ...service, spec: { template: { spec: { containers: [{ ...runner, restartPolicy: 'Always' }] } } } }
  expect([33, 34, 35].map((minor) => findingsOf('init-restart-policy-invalid', lasting, minor).length)).toEqual([
    1, 0, 0,
  ])
})

test('init-restart-policy-invalid does not advise a feature that the version lacks', () => {
  const object = pod({ initContainers: [{ ...docker, restartPolicy: 'OnFailure' }] })
  const messageAt = (minor: number) => findingsOf('init-restart-policy-invalid', object, minor)[0]?.message
  expect(messageAt(27)).toMatch(/silently dropped by Kubernetes 1\.27\. .* native sidecars need 1\.29/)
  expect(messageAt(33)).toMatch(/refused by Kubernetes 1\.33.* needs Always/)
})

test('dind-ordinary-container: the fix is unsafe for a container that is only likely a daemon', () => {
  const work = { name: 'work', image: 'registry.example/work:1', volumeMounts: [{ name: 'run', mountPath: '/run' }] }
  const fixOf = (image: string) => {
    const engine = { ...work, name: 'docker', image, securityContext: { privileged: true } }
    const object = pod({ containers: [work, engine], volumes: [{ name: 'run', emptyDir: {} }] })
    return findingsOf('dind-ordinary-container', object, 33)[0]?.fix?.safety
  }
  expect([fixOf('docker:27-dind'), fixOf('registry.example/engine:1')]).toEqual(['safe', 'unsafe'])
})

test.each([
  [{ matchExpressions: [{ key: 'tier', operator: 'In', values: ['ci', 'batch'] }] }, 'a', 1],
  [{ matchExpressions: [{ key: 'tier', operator: 'NotIn', values: ['ci'] }] }, 'a', 0],
  [{ matchExpressions: [{ key: 'tier', operator: 'Exists' }], matchLabels: { app: 'web' } }, 'a', 0],
  [{ matchExpressions: [{ key: 'web', operator: 'DoesNotExist' }] }, 'a', 1],
  [{ matchExpressions: [{ key: 'web', operator: 'DoesNotExist' }] }, 'b', 0],
  [{ matchExpressions: [{ key: 'actions-ephemeral-runner', operator: 'Exists' }] }, 'b', 1],
  [{ matchExpressions: [{ key: 'actions-ephemeral-runner', operator: 'DoesNotExist' }] }, 'a', 0],
  [{ matchExpressions: [{ key: 'app.kubernetes.io/part-of', operator: 'NotIn', values: ['x'] }] }, 'a', 0],
  [{}, 'a', 0],
])('pdb-on-arc-runners evaluates the whole selector: %j in %s', (selector, namespace, count) => {
  const template = { metadata: { labels: { tier: 'ci' } }, spec: { containers: [runner] } }
  const set = { apiVersion: 'actions.github.com/v1alpha1', kind: 'AutoscalingRunnerSet', spec: { template } }
  const budget = { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', spec: { selector } }
  const items = [
    { ...set, metadata: { name: 's', namespace: 'a' } },
    { ...budget, metadata: { name: 'b', namespace } },
  ]
  expect(findingsOf('pdb-on-arc-runners', { apiVersion: 'v1', kind: 'List', items })).toHaveLength(count)
})

test('probe-without-sidecar removes the lifecycle together with its last hook', () => {
  const removed = (lifecycle: Fields) => {
    const object = pod({ initContainers: [{ name: 'first', image: 'registry.example/first:1', lifecycle }] })
    return findingsOf('probe-without-sidecar', object).map(({ fix }) => fix?.edits)
  }
  const lifecycle = ['spec', 'initContainers', 0, 'lifecycle']
  expect(removed({ preStop: {} })).toEqual([[{ do: 'remove', path: lifecycle }]])
  expect(removed({ postStart: {}, preStop: {} })).toEqual(
    ['postStart', 'preStop'].map((hook) => [{ do: 'remove', path: [...lifecycle, hook] }]),
  )
})

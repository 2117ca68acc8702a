// Daemons of container engines, and containers that only look like one.
import { expect, test } from 'vitest'
import type { PodView } from '../pod-view.ts'
import { filler } from '../read/template/template-value.ts'
import { daemonOf } from './daemon.ts'
import { longLivedHelper } from './long-lived.ts'
import { viewPods } from './pod-views.ts'

function podWith(container: Record<string, unknown>, spec: Record<string, unknown> = {}): PodView {
  const raw = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p' },
    spec: {
      restartPolicy: 'Never',
      containers: [
        { name: 'work', image: 'registry.example/work:1', volumeMounts: [{ name: 'run', mountPath: '/var/run' }] },
        { name: 'it', ...container },
      ],
      volumes: [{ name: 'run', emptyDir: {} }],
      ...spec,
    },
  }
  const object = { apiVersion: 'v1', kind: 'Pod', namespace: undefined, name: 'p' }
  const [pod] = viewPods([{ object, document: 0, raw }])
  if (!pod) throw new Error('no pod')
  return pod
}

const daemonIn = (pod: PodView) => daemonOf(pod.containers.at(-1)!, pod)

test.each<Record<string, unknown>>([
  { image: 'docker:dind' },
  { image: 'docker:27.3.1-dind-rootless' },
  { image: 'registry.example:5000/mirror/docker:27-dind@sha256:00' },
  { image: 'registry.example/dind' },
  { image: 'docker:dind', args: ['--host=tcp://0.0.0.0:2375'] },
  { image: 'docker:dind', args: ['dockerd', '--host=unix:///var/run/docker.sock'] },
  { image: 'registry.example/engine:1', command: ['/usr/local/bin/dockerd-entrypoint.sh'] },
  { image: 'registry.example/engine:1', command: ['docker-init', '--', 'dockerd'] },
  { image: 'registry.example/engine:1', command: ['sh', '-c', 'rm -f /var/run/docker.pid; exec dockerd --debug 2>&1'] },
  { image: 'docker', command: ['sh', '-c', 'while pgrep runner; do sleep 1; done & exec dockerd'] },
  { image: 'docker:dind', command: ['sh', '-c', 'dockerd-entrypoint.sh & wait'] },
  { image: 'docker:dind', command: ['sh', '-c', "trap 'kill $!' TERM; dockerd & wait $!"] },
  { image: 'docker:dind', command: ['sh', '-c', 'pkill dockerd; rm -f /run/docker.pid; exec dockerd'] },
  { image: 'podman/stable', command: ['podman', 'system', 'service', '--time=0'] },
  { image: 'moby/buildkit:v0.24.0-rootless' },
  { image: 'registry.example/b:1', command: ['buildkitd'] },
])('is a daemon: %j', (container) => {
  expect(daemonIn(podWith(container))?.confidence).toBe('high')
})

test.each<Record<string, unknown>>([
  { image: 'docker:cli' },
  { image: 'docker:27' },
  { image: 'registry.example/docker-credential-helper:dind1' },
  { image: 'docker:dind', command: ['docker', 'build', '.'] },
  { image: 'docker:dind', args: ['docker', 'version'] },
  { image: 'docker:dind', command: ['sh', '-c', 'dockerd & sleep 5; docker build .'] },
  {
    image: 'docker:dind',
    command: ['sh', '-c', 'dockerd >/dev/null 2>&1 & until docker info; do sleep 1; done; make'],
  },
  {
    image: 'docker:dind',
    command: ['sh', '-c', 'dockerd-entrypoint.sh & while [ ! -e /run/done ]; do sleep 1; done; kill %1'],
  },
  { image: 'docker:dind', command: ['sh', '-c', '(until [ -e /done ]; do sleep 1; done; kill 1) & exec dockerd'] },
  { image: 'docker:dind', command: ['timeout', '3600', 'dockerd'] },
  { image: 'docker:cli', command: ['sh', '-c', 'echo waiting for dockerd; docker build .'] },
  { image: 'registry.example/tool:1', command: ['sh', '-c', 'case $1 in dockerd) exit 1 ;; esac; make'] },
  { image: 'registry.example/tool:1', command: ['sh', '-c', 'pgrep dockerd || exit 1'] },
  { image: 'moby/buildkit:v0.24.0', command: ['buildctl-daemonless.sh', 'build'] },
  { image: 'summerwind/actions-runner-dind:v2.329.0' },
  { image: 'registry.example/app:dind-free' },
])('is no daemon: %j', (container) => {
  expect(daemonIn(podWith(container))).toBeUndefined()
})

test('recognizes, with less certainty, a privileged container named docker that shares its socket folder', () => {
  const shape = {
    name: 'docker',
    image: 'registry.example/engine:1',
    securityContext: { privileged: true },
    volumeMounts: [{ name: 'run', mountPath: '/var/run' }],
  }
  expect(daemonIn(podWith(shape))).toEqual({ engine: 'docker', confidence: 'medium' })
  expect(daemonIn(podWith(shape, { volumes: [{ name: 'run', hostPath: { path: '/var/run' } }] }))).toBeUndefined()
})

test("recognizes a container of any name with Docker's data beside a shared socket, if no other is the engine", () => {
  const mounts = [
    { name: 'run', mountPath: '/var/run' },
    { name: 'graph', mountPath: '/var/lib/docker' },
  ]
  const shape = { image: 'registry.example/e:1', securityContext: { privileged: true }, volumeMounts: mounts }
  expect(daemonIn(podWith(shape))).toEqual({ engine: 'docker', confidence: 'medium' })
  expect(daemonIn(podWith({ ...shape, volumeMounts: mounts.slice(0, 1) }))).toBeUndefined()
  expect(daemonIn(podWith({ ...shape, securityContext: {} }))).toBeUndefined()
  const initContainers = [{ name: 'docker', image: 'docker:dind', restartPolicy: 'Always' }]
  expect(daemonIn(podWith(shape, { initContainers }))).toBeUndefined()
})

test('recognizes a templated image by its tag, in a container with a usual name', () => {
  const shape = { name: 'dind', image: `${filler}/${filler}:27-dind`, securityContext: { privileged: true } }
  expect(daemonIn(podWith(shape))).toEqual({ engine: 'docker', confidence: 'medium' })
  expect(daemonIn(podWith({ ...shape, name: 'agent' }))).toBeUndefined()
  expect(daemonIn(podWith({ ...shape, args: ['docker', 'build', '.'] }))).toBeUndefined()
  expect(daemonIn(podWith({ ...shape, image: `${filler}:27-cli` }))).toBeUndefined()
})

test('recognizes an image named after Docker in Docker with less certainty, and not as an unprivileged init container', () => {
  const step = (image: string, more = {}) => {
    const pod = podWith({}, { initContainers: [{ name: 'first', image, ...more }] })
    return daemonOf(pod.containers[0]!, pod)?.confidence
  }
  expect(daemonIn(podWith({ image: 'registry.example/ci-dind:1' }))?.confidence).toBe('medium')
  expect(daemonIn(podWith({ image: 'registry.example/docker-in-docker' }))?.confidence).toBe('medium')
  expect(daemonIn(podWith({ image: 'registry.example/dind-runner:1' }))).toBeUndefined()
  expect(step('registry.example/dind-prepare:1')).toBeUndefined()
  expect(step('registry.example/ci-dind:1', { securityContext: { privileged: true } })).toBe('medium')
  expect(step('registry.example/dind:1')).toBe('high')
})

test('is no daemon if a neighbour in a shared PID namespace may end it', () => {
  const containers = [
    { name: 'work', image: 'registry.example/work:1', command: ['sh', '-c', 'make; pkill dockerd'] },
    { name: 'docker', image: 'docker:dind' },
  ]
  expect(daemonIn(podWith({}, { containers }))).toBeDefined()
  expect(daemonIn(podWith({}, { containers, shareProcessNamespace: true }))).toBeUndefined()
})

test.each([
  ['gcr.io/cloud-sql-connectors/cloud-sql-proxy:2.14.0', ['x'], true],
  ['gcr.io/cloud-sql-connectors/cloud-sql-proxy:2.14.0', ['--quitquitquit'], false],
  ['docker.io/istio/proxyv2:1.27.0', [], true],
  ['hashicorp/vault:1.20', ['agent', '-config=/c'], true],
  ['hashicorp/vault:1.20', ['agent', '-exit-after-auth'], false],
  ['hashicorp/vault:1.20', ['kv', 'get', 'a'], false],
  ['registry.example/envoy-config-generator:1', [], false],
  ['docker.io/istio/proxyv2:1.27.0', ['istio-iptables', '-p', '15001'], false],
  ['redis:7', [], true],
  ['redis:7', ['redis-cli', 'ping'], false],
  ['alpine', ['sh', '-c', 'tail -F /logs/app.log'], true],
  ['alpine', ['sh', '-c', 'tail -f /logs/app.log & make; kill %1'], false],
])('recognizes that %s %j runs indefinitely: %s', (image, args, expected) => {
  const pod = podWith({ image, args })
  expect(longLivedHelper(pod.containers.at(-1)!, pod) !== undefined).toBe(expected)
})

test('reads only the relevant part of an endless script, in a short time', () => {
  const pod = podWith({ image: 'registry.example/e:1', command: ['sh', '-c', 'pkill dockerd '.repeat(200_000)] })
  const start = performance.now()
  expect(daemonIn(pod)).toBeUndefined()
  expect(performance.now() - start).toBeLessThan(10_000)
})

test('a privileged helper of a runner whose image is unknown is probably a daemon', () => {
  const privileged = { securityContext: { privileged: true } }
  const runner = { name: 'runner', image: 'registry.example/actions-runner:2' }
  const beside = (work: object, more: object) =>
    podWith({}, { containers: [work, { name: 'docker-in-docker', image: filler.repeat(5), ...privileged, ...more }] })
  const probably = { engine: 'docker', confidence: 'medium' }
  for (const name of ['docker-in-docker', 'dind', 'docker'])
    expect(daemonIn(beside(runner, { name }))).toEqual(probably)
  const others = [{ name: 'cache' }, { securityContext: {} }, { args: ['docker', 'run'] }, { image: 'acme/tool:1' }]
  for (const more of others) expect(daemonIn(beside(runner, more))).toBeUndefined()
  expect(daemonIn(beside({ name: 'work', image: 'acme/work:1' }, {}))).toBeUndefined()
})

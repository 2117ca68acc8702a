// Mounts at the path of a Docker daemon's own socket, and those that only look like it.
import { expect, test } from 'vitest'
import { viewPods } from './pod-views.ts'
import { takenSocket } from './taken-socket.ts'

type Fields = Readonly<Record<string, unknown>>

function takenBy(mountPath: string, fields: Fields) {
  const docker = { name: 'docker', image: 'docker:27-dind', volumeMounts: [{ name: 'v', mountPath }], ...fields }
  const spec = { containers: [docker, { name: 'work', image: 'a:1' }], volumes: [{ name: 'v', emptyDir: {} }] }
  const object = { apiVersion: 'v1', kind: 'Pod', namespace: undefined, name: 'p' }
  const [pod] = viewPods([{ object, document: 0, raw: { spec } }])
  const [container] = pod?.containers ?? []
  return pod && container && takenSocket(container, pod)?.socket
}
const host = (value: string) => ({ env: [{ name: 'DOCKER_HOST', value }] })

test.each<[string, Fields]>([
  ['/var/run/docker.sock', {}],
  ['/run/docker.sock/', {}],
  ['/var/run/docker.sock', { args: ['--mtu=1400'] }],
  ['/var/run/docker.sock', { args: ['-H', 'tcp://0.0.0.0:2375'] }],
  ['/var/run/docker.sock', { args: ['dockerd'] }],
  ['/var/run/docker.sock', { command: ['dockerd'] }],
  ['/var/run/docker.sock', { command: ['dockerd-entrypoint.sh'], ...host('tcp://localhost:2375') }],
  ['/var/run/docker.sock', { command: ['sh', '-c', 'exec dockerd --host unix:///run/docker.sock'] }],
  ['/own/docker.sock', host('unix:///own/docker.sock')],
])('Docker creates its socket at %s with %j', (path, fields) => expect(takenBy(path, fields)).toBe(path))

test.each<[string, Fields]>([
  ['/var/run', {}],
  ['/var/run/docker', {}],
  ['/var/run/docker.sock', { image: 'docker:27-cli' }],
  ['/var/run/docker.sock', { image: 'docker:27-dind-rootless' }],
  ['/var/run/docker.sock', { securityContext: { runAsUser: 1000 } }],
  ['/var/run/docker.sock', { command: ['dockerd', '-H', 'tcp://0.0.0.0:2375'] }],
  ['/var/run/docker.sock', { args: ['dockerd', '--host=tcp://0.0.0.0:2375'] }],
  ['/var/run/docker.sock', host('unix:///own/docker.sock')],
  ['/var/run/docker.sock', { command: ['sh', '-c', 'umount /var/run/docker.sock; exec dockerd'] }],
])('Docker creates no socket at %s with %j', (path, fields) => expect(takenBy(path, fields)).toBe(undefined))

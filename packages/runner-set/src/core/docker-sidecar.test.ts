import { expect, it } from 'vitest'
import { buildPod, templateHash } from './pod.ts'
import { hazardsOf } from './template-rules.ts'
import { runnerSet } from './world.fixture.ts'

type Container = Readonly<Record<string, unknown>> & {
  readonly name: string
  readonly env?: readonly { readonly name: string; readonly value: string }[]
  readonly volumeMounts?: readonly { readonly mountPath: string }[]
}

function podOf(spec: Readonly<Record<string, unknown>> = {}, docker: 'none' | 'sidecar' = 'sidecar') {
  const pod = buildPod(runnerSet({ docker, template: { spec } }), 'a', '1').spec
  return pod as typeof pod & {
    readonly containers: readonly Container[]
    readonly initContainers?: readonly Container[]
    readonly volumes: readonly { readonly name: string }[]
  }
}

it('adds a native sidecar that ends with the runner, and nothing to a set without Docker', () => {
  const { initContainers = [], terminationGracePeriodSeconds } = podOf()
  expect(initContainers).toMatchObject([
    {
      name: 'docker',
      image: expect.stringMatching(/^docker:\d+\.\d+\.\d+-dind$/),
      restartPolicy: 'Always',
      startupProbe: { exec: { command: ['docker', 'info'] }, periodSeconds: 1, timeoutSeconds: 5 },
      resources: { requests: { cpu: expect.any(String), memory: expect.any(String) } },
    },
    { name: 'dayfly-externals' },
  ])
  expect(terminationGracePeriodSeconds).toBeGreaterThan(10)
  expect(hazardsOf(podOf())).toEqual([])
  expect(podOf({}, 'none').initContainers).toBeUndefined()
  expect(JSON.stringify(podOf({}, 'none'))).not.toMatch(/docker|_work/i)
})

it('starts the engine below an init, with its PID file and exec root outside every volume', () => {
  const [docker] = podOf().initContainers ?? []
  const command = [docker?.['command'], docker?.['args']].flat().map(String)
  expect(command).toContainEqual(expect.stringContaining('exec docker-init -- "$@"'))
  const mounts = (docker?.volumeMounts ?? []).map(({ mountPath }) => mountPath)
  for (const flag of ['--pidfile=', '--exec-root=']) {
    const file = command.find((word) => word.startsWith(flag))?.slice(flag.length) ?? ''
    expect(file).toMatch(/^\//)
    expect(mounts.filter((mount) => file.startsWith(mount))).toEqual([])
  }
})

it('gives the engine a bounded volume for its data', () => {
  const pod = podOf()
  const [docker] = pod.initContainers ?? []
  expect(docker?.['volumeMounts']).toContainEqual({ name: 'dayfly-docker-data', mountPath: '/var/lib/docker' })
  expect(pod.volumes).toContainEqual({ name: 'dayfly-docker-data', emptyDir: { sizeLimit: '20Gi' } })
})

it('lets the runner reach the engine by a socket in a volume that both have', () => {
  const pod = podOf()
  const [runner] = pod.containers
  const [docker] = pod.initContainers ?? []
  const [, host = ''] =
    /^unix:\/\/(.*)\/docker\.sock$/.exec(runner?.env?.find(({ name }) => name === 'DOCKER_HOST')?.value ?? '') ?? []
  const socket = { name: 'dayfly-docker-socket', mountPath: host }
  expect(runner?.['volumeMounts']).toContainEqual(socket)
  expect(docker?.['volumeMounts']).toContainEqual(socket)
  expect(docker?.['args']).toContain(`--host=unix://${host}/docker.sock`)
  const work = { name: 'dayfly-work', mountPath: '/home/runner/_work' }
  expect(runner?.['volumeMounts']).toContainEqual(work)
  expect(docker?.['volumeMounts']).toContainEqual(work)
})

it('makes only the engine privileged', () => {
  const pod = podOf()
  expect(pod.initContainers?.[0]?.['securityContext']).toEqual({ privileged: true })
  expect(JSON.stringify(pod.containers)).not.toContain('privileged')
})

it.each([
  ['initContainers', (docker: object) => ({ initContainers: [docker] })],
  ['containers', (docker: object) => ({ containers: [docker] })],
])('takes every field from a container named docker in %s of the template', (_list, place) => {
  const docker = {
    name: 'docker',
    image: 'registry.example/docker:28-dind',
    args: ['dockerd'],
    resources: { limits: { memory: '4Gi' } },
    env: [{ name: 'DOCKER_GROUP_GID', value: '0' }],
    volumeMounts: [{ name: 'cache', mountPath: '/cache' }],
  }
  const pod = podOf({ ...place(docker), volumes: [{ name: 'dayfly-docker-data', emptyDir: { sizeLimit: '1Gi' } }] })
  expect(pod.containers.map(({ name }) => name)).toEqual(['runner'])
  expect(pod.initContainers?.map(({ name }) => name)).toEqual(['docker', 'dayfly-externals'])
  expect(pod.initContainers?.[0]).toMatchObject({
    ...docker,
    restartPolicy: 'Always',
    resources: { limits: { memory: '4Gi' }, requests: { cpu: '100m' } },
    volumeMounts: expect.arrayContaining([{ name: 'cache', mountPath: '/cache' }]),
  })
  expect(pod.volumes).toContainEqual({ name: 'dayfly-docker-data', emptyDir: { sizeLimit: '1Gi' } })
})

it('keeps the order of the user’s own init containers, and the other containers', () => {
  const spec = {
    initContainers: [{ name: 'first' }],
    containers: [{ name: 'helper' }, { name: 'runner', image: 'mine' }],
  }
  const pod = podOf(spec)
  expect(pod.initContainers?.map(({ name }) => name)).toEqual(['first', 'docker', 'dayfly-externals'])
  expect(pod.containers.map(({ name }) => name)).toEqual(['helper', 'runner'])
})

it('has its template checked again when Docker or the checks change', () => {
  const hashes = [runnerSet(), runnerSet({ docker: 'sidecar' }), runnerSet({ templateChecks: 'warn' })].map(
    templateHash,
  )
  expect(new Set(hashes).size).toBe(3)
})

it('passes the mirror and the registries to the engine, and puts its data on a claim that ends with the pod', () => {
  const dockerEngine = {
    mirror: 'https://mirror.acme.example',
    insecureRegistries: ['registry.acme.example:5000'],
    storage: { size: '80Gi', storageClass: 'fast' },
  }
  const { spec } = buildPod(runnerSet({ docker: 'sidecar', dockerEngine }), 'a', '1')
  const [docker] = spec['initContainers'] as readonly { readonly args: readonly string[] }[]
  expect(docker?.args.slice(-2)).toEqual([
    '--registry-mirror=https://mirror.acme.example',
    '--insecure-registry=registry.acme.example:5000',
  ])
  const claim = {
    accessModes: ['ReadWriteOnce'],
    storageClassName: 'fast',
    resources: { requests: { storage: '80Gi' } },
  }
  const source = { ephemeral: { volumeClaimTemplate: { spec: claim } } }
  expect(spec['volumes']).toContainEqual({ name: 'dayfly-docker-data', ...source })
})

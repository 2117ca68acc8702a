// Imports whole installations of Atlassian's autoscaler. An API server judges the pods, and the report names every path.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { checkTemplate } from '@dayfly/controller/act/check-template'
import type { Kubernetes } from '@dayfly/kubernetes/kubernetes'
import type { Resource } from '@dayfly/kubernetes/types'
import { parseRunnerSet } from '@dayfly/runner-set/config/runner-set'
import { defaultSpec } from '@dayfly/runner-set/core/default-spec'
import { buildPod } from '@dayfly/runner-set/core/pod'
import { refusedTemplate, templateVerdict } from '@dayfly/runner-set/core/template'
import type { RunnerSet } from '@dayfly/runner-set/model/runner-set'
import { readConfiguration } from 'dayfly/migrate/bitbucket-autoscaler/configuration'
import { importAutoscaler } from 'dayfly/migrate/bitbucket-autoscaler/import'
import { compileJobTemplate } from 'dayfly/migrate/bitbucket-autoscaler/job-template'
import { leavesOf } from 'dayfly/migrate/bitbucket-autoscaler/yaml/value'
import { describe, expect, it } from 'vitest'
import { embeddedKubernetes } from '../cluster/embedded-kubernetes.ts'

const folder = path.resolve(import.meta.dirname, 'migrate/bitbucket-autoscaler')
const shapes = readdirSync(folder).sort()

function read(shape: string) {
  const text = (file: string) => readFileSync(path.join(folder, shape, file), 'utf8')
  return { configuration: text('runners_config.yaml'), template: text('job.yaml.template') }
}

const serviceAccounts: Resource = {
  group: '',
  version: 'v1',
  plural: 'serviceaccounts',
  kind: 'ServiceAccount',
  namespaced: true,
}
const priorityClasses: Resource = {
  group: 'scheduling.k8s.io',
  version: 'v1',
  plural: 'priorityclasses',
  kind: 'PriorityClass',
  namespaced: false,
}

const results = new Map<string, ReturnType<typeof importShape>>()

function imported(shape: string) {
  const result = results.get(shape) ?? importShape(shape)
  results.set(shape, result)
  return result
}

function importShape(shape: string) {
  const own = defaultSpec({ forge: 'bitbucket', docker: 'sidecar' }, '')
  const result = importAutoscaler({ ...read(shape), mode: 'corrected', strategy: 'percentage', defaultSpec: own })
  if (!result.ok) throw new Error(JSON.stringify(result.problems))
  return result
}

function setsOf(shape: string) {
  return imported(shape).sets.map(({ document }) => {
    const uid = '11111111-1111-4111-8111-111111111111'
    const parsed = parseRunnerSet({ ...document, metadata: { ...document.metadata, uid } })
    if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems))
    return parsed.set
  })
}

type Container = {
  readonly name: string
  readonly image: string
  readonly args?: readonly string[]
  readonly env?: readonly { readonly name: string; readonly value?: string }[]
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string; readonly subPath?: string }[]
  readonly resources?: unknown
  readonly restartPolicy?: string
}

function podOf(shape: string, index = 0) {
  const { spec, metadata } = buildPod(setsOf(shape)[index]!, 'one', '1')
  const containers = spec['containers'] as readonly Container[]
  const init = spec['initContainers'] as readonly Container[]
  const named = (name: string) => [...containers, ...init].find((container) => container.name === name)
  return { spec, metadata, containers, init, runner: named('runner')!, docker: named('docker')! }
}

/** Creates the objects that must exist before a pod that names them. */
async function createNeeded(kubernetes: Kubernetes, { namespace, template }: RunnerSet): Promise<void> {
  const { serviceAccountName, priorityClassName } = template.spec ?? {}
  if (typeof serviceAccountName === 'string') {
    await kubernetes.create(serviceAccounts, {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name: serviceAccountName, namespace },
    })
  }
  if (typeof priorityClassName === 'string') {
    await kubernetes.create(priorityClasses, {
      apiVersion: 'scheduling.k8s.io/v1',
      kind: 'PriorityClass',
      metadata: { name: priorityClassName },
      value: 5,
    })
  }
}

describe.each(shapes)('the installation %s', (shape) => {
  it('becomes RunnerSets whose pods an API server accepts, without a hazard', async () => {
    for (const set of setsOf(shape)) {
      const kubernetes = embeddedKubernetes(set.namespace)
      await createNeeded(kubernetes, set)
      const { signal } = new AbortController()
      const result = await checkTemplate({ kubernetes, set, signal })
      if (result.is === 'aborted') throw new Error('the check was aborted')
      const verdict =
        result.is === 'accepted'
          ? templateVerdict(set, 'hash', result.stored, 0)
          : refusedTemplate('hash', result.failure, 0, undefined)
      expect(verdict).toMatchObject({ is: 'accepted', warnings: [] })
    }
  })

  it('has one line in the report for each path of its configuration and of its template', () => {
    const { configuration, template } = read(shape)
    const parsed = readConfiguration(configuration, 'corrected')
    if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems))
    const { sets, lines } = imported(shape)
    const named = [...lines, ...sets.flatMap((set) => set.lines)]
    const inConfiguration = named.filter(({ file }) => file === 'configuration').map((line) => line.path)
    expect(inConfiguration.sort()).toEqual([...leavesOf(parsed.configuration.source, '')].sort())
    for (const [index, set] of sets.entries()) {
      const group = compileJobTemplate(template, 'corrected')(parsed.configuration.groups[index]!)
      if (!group.ok) throw new Error(JSON.stringify(group.problems))
      const inTemplate = set.lines.filter(({ file }) => file === 'template').map((line) => line.path)
      expect([...inTemplate].sort()).toEqual([...leavesOf(group.template.list, '')].sort())
    }
  })

  it('gives no path of the pod a reason that is for the Job around it', () => {
    for (const line of imported(shape).sets.flatMap((set) => set.lines)) {
      expect(line.sentence).toMatch(/^[A-Za-z].*[^ ]$/)
      if (/\.spec\.template\.spec\./.test(line.path)) expect(line.sentence).not.toMatch(/Jobs|no such field/)
    }
  })

  it('keeps exactly one runner and at most one Docker, which is a native sidecar', () => {
    for (const index of setsOf(shape).keys()) {
      const { containers, init } = podOf(shape, index)
      expect(containers.filter(({ name }) => name === 'runner')).toHaveLength(1)
      expect(init.filter(({ name }) => name === 'docker')).toMatchObject([{ restartPolicy: 'Always' }])
      expect(containers.map(({ image }) => image).filter((image) => /dind|buildkit/.test(image))).toEqual([])
    }
  })

  it('sets each variable of the runner once, and the five of its identity from the Secret', () => {
    const names = podOf(shape).runner.env!.map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
    const identity = podOf(shape).runner.env!.filter(({ name }) => /UUID|OAUTH/.test(name))
    expect(identity).toHaveLength(5)
    for (const variable of identity) expect(variable).toHaveProperty('valueFrom.secretKeyRef.name', 'one')
  })
})

describe('the pod of an import', () => {
  it('has runner and Docker with the work folder at one path', () => {
    for (const shape of shapes) {
      const { runner, docker } = podOf(shape)
      const folderOfWork = runner.env!.find(({ name }) => name === 'WORKING_DIRECTORY')!.value
      const volume = ({ volumeMounts }: Container) =>
        volumeMounts!.find(({ mountPath }) => mountPath === folderOfWork)?.name
      expect(volume(runner)).toBe(volume(docker))
      expect(volume(runner)).toBeDefined()
    }
  })

  it('has runner and Docker with the folder of the socket in common', () => {
    for (const shape of shapes) {
      const { runner, docker } = podOf(shape)
      const socket = runner.env!.find(({ name }) => name === 'DOCKER_HOST')!.value!.replace('unix://', '')
      const folderOfSocket = path.posix.dirname(socket)
      const volume = ({ volumeMounts }: Container) =>
        volumeMounts!.find(({ mountPath }) => mountPath === folderOfSocket)?.name
      expect(volume(runner)).toBe(volume(docker))
      expect(volume(runner)).toBeDefined()
    }
  })

  it('keeps the files of the engine out of a volume at /tmp', () => {
    for (const shape of shapes) {
      const { docker } = podOf(shape)
      const hasVolume = docker.volumeMounts!.some(({ mountPath }) => mountPath === '/tmp')
      const usesFolder = (docker.args ?? []).some((argument) => argument.includes('=/tmp/'))
      expect(hasVolume && usesFolder).toBe(false)
    }
  })

  it('reads the containers’ output from where the engine writes it', () => {
    const { runner, docker } = podOf('host-volumes')
    const output = (container: Container) =>
      container.volumeMounts!.find(({ mountPath }) => mountPath === '/var/lib/docker/containers')
    expect(output(runner)).toMatchObject({ name: 'docker-containers', subPath: '' })
    expect(output(docker)).toMatchObject({ name: 'docker-containers' })
  })

  it('appends a mirror to Dayfly’s arguments of the engine', () => {
    const { docker, runner } = podOf('registry-mirrors')
    expect(docker.args?.slice(0, 3)).toEqual([
      'dockerd',
      '--host=unix:///var/run/docker.sock',
      '--host=unix:///run/dayfly-docker/docker.sock',
    ])
    expect(docker.args?.slice(-2)).toEqual([
      '--registry-mirror=https://mirror.acme.example',
      '--insecure-registry=registry.acme.example:5000',
    ])
    expect(runner.env).toContainEqual({ name: 'DOCKER_HOST', value: 'unix:///run/dayfly-docker/docker.sock' })
  })

  it('opens no socket twice', () => {
    for (const shape of shapes) {
      const hosts = (podOf(shape).docker.args ?? []).filter((argument) => argument.startsWith('--host'))
      expect(new Set(hosts).size).toBe(hosts.length)
    }
  })

  it('selects arm64 nodes beside the node selector of the group', () => {
    expect(podOf('arm64-node-selector', 0).spec).not.toHaveProperty('nodeSelector')
    expect(podOf('arm64-node-selector', 1).spec['nodeSelector']).toEqual({
      'karpenter.sh/nodepool': 'ci-arm',
      'team/pool': 'on',
      'kubernetes.io/arch': 'arm64',
    })
    expect(setsOf('arm64-node-selector').map(({ source }) => source.labels)).toEqual([
      ['build'],
      ['linux.arm64', 'build'],
      ['linux.arm64', 'deploy'],
    ])
  })

  it('keeps tolerations, affinity, service account, priority, limits and the deadline', () => {
    expect(podOf('taints').spec).toMatchObject({
      tolerations: [{ key: 'dedicated' }, { key: 'spot', tolerationSeconds: 120 }],
      affinity: { podAntiAffinity: {}, nodeAffinity: {} },
      nodeSelector: { pool: 'ci', numeric: '1' },
      activeDeadlineSeconds: 36_000,
    })
    expect(podOf('irsa-service-account')).toMatchObject({
      spec: { serviceAccountName: 'bitbucket-runner', automountServiceAccountToken: true, priorityClassName: 'ci' },
      metadata: { annotations: { 'iam.amazonaws.com/role': 'arn:aws:iam::123456789012:role/runner' } },
    })
    expect(podOf('init-sidecar').docker.resources).toEqual({
      limits: { cpu: '2', memory: '6Gi' },
      requests: { cpu: '2', memory: '6Gi' },
    })
    expect(setsOf('init-sidecar')[0]).toMatchObject({ lifeMaxMs: 21_600_000 })
    expect(podOf('several-groups', 1).runner.resources).toEqual({
      requests: { memory: '16Gi', cpu: '3.5' },
      limits: { memory: '16Gi', cpu: '4' },
    })
  })
})

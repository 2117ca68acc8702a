// Tests `dayfly doctor --live` and its repairs on a real node: it reports only real problems, and its repairs leave busy runners alone.
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { listAt, numberAt, textAt, valueAt } from '@dayfly/kit/read-json'
import type { KubeObject } from '@dayfly/kubernetes/types'
import { describe, expect, it } from 'vitest'
import { manifests, sample } from '../../doctor/samples.fixture.ts'
import { pods } from '../client-place.ts'
import { findingsIn } from '../live-doctor.ts'
import { jobs, type Node, nodeKubeconfig, nodePlace, processesOf, settle, whyNoNode } from './open-node.ts'

const file = nodeKubeconfig
const staticPods = path.join(process.env['DAYFLY_NODE'] ?? '', 'manifests')
if (file) describe('on a real node', () => suite(file))
else describe('on a real node', () => it('the repairs', (context) => context.skip(whyNoNode)))

function suite(kubeconfig: string): void {
  const { node, doctor: anywhere, repair: repairAnywhere } = nodePlace(kubeconfig)
  const enter = (name: string) => node().enter(name)
  const make = (namespace: string, kind: string, name: string, spec: object, metadata: object = {}) =>
    node().apply(namespace, {
      apiVersion: kind === 'Job' ? 'batch/v1' : 'v1',
      kind,
      metadata: { name, ...metadata },
      spec,
    })
  const doctor = (namespace: string, ...args: readonly string[]) => anywhere('-n', namespace, ...args)
  /** Returns each finding as `CODE Kind/name: message`. */
  const findings = async (namespace: string) => findingsIn(await doctor(namespace), namespace)
  const repair = (namespace: string, ...args: readonly string[]) => repairAnywhere('-n', namespace, ...args)
  const named = async (namespace: string, name: string) => node().get(pods, namespace, name)

  it('has no finding on a healthy node', async () => {
    const site = await enter('healthy')
    const command = ['/bin/wait-for-term', '--terminated-pod-gc-threshold=20']
    const containers = [{ name: 'kube-controller-manager', image: 'localhost/busybox:1', command }]
    const metadata = { name: 'kube-controller-manager', namespace: 'kube-system' }
    const manager = { apiVersion: 'v1', kind: 'Pod', metadata, spec: { hostNetwork: true, containers } }
    writeFileSync(path.join(staticPods, 'kube-controller-manager.json'), JSON.stringify(manager))
    for (const manifest of manifests(sample('healthy.yaml'))) await node().apply(site, selecting(manifest))
    await make(site, 'Pod', 'busy', { ...graceful, initContainers: [sidecar], containers: [works], volumes })
    const agent = { app: 'proxy' }
    const proxy = { hostNetwork: true, containers: [{ name: 'proxy', image: 'registry.example/agent:1' }] }
    const template = { metadata: { labels: agent }, spec: proxy }
    const spec = { selector: { matchLabels: agent }, template }
    await node().apply(site, { apiVersion: 'apps/v1', kind: 'DaemonSet', metadata: { name: 'proxy' }, spec })
    const look = () => node().look(site)
    await settle(look, (lines) => lines.length === 5 && lines.every((line) => /ready|^Succeeded/.test(line)))
    await settle(look, (lines) => lines.some((line) => line.startsWith('Succeeded')))
    await settle(
      () => named('kube-system', 'kube-controller-manager-127.0.0.1'),
      (pod) => pod !== undefined,
    )
    for (const namespace of [site, 'kube-system']) {
      const { stdout, stderr, code } = await doctor(namespace, '--fix')
      expect(JSON.parse(stdout)).toMatchObject({ findings: [] })
      expect(stderr).toMatch(/nothing to do/)
      expect(code).toBe(0)
    }
  })

  it('ends zombies and touches no busy runner', async () => {
    const site = await enter('zombies')
    const zombie = { ...graceful, containers: [ends, docker], volumes }
    const busy = { ...graceful, containers: [works, docker], volumes }
    const job = (backoffLimit: number, spec: object) => ({ backoffLimit, template: { spec } })
    await make(site, 'Pod', 'busy', busy)
    await make(site, 'Pod', 'zombie', zombie)
    await make(site, 'Job', 'busy-job', job(0, busy))
    await make(site, 'Job', 'once', job(0, zombie))
    await make(site, 'Job', 'again', job(6, zombie))
    const sick = /^Running docker=running,started,ready runner=Completed\(0\)$/
    const well = /^Running docker=running,started,ready runner=running,started,ready$/
    const count = (lines: readonly string[], what: RegExp) => lines.filter((line) => what.test(line)).length
    const look = () => node().look(site)
    await settle(look, (lines) => count(lines, sick) === 3 && count(lines, well) === 2)
    // The Job controller counts a second later. A step is not taken if its Job changes after the plan.
    for (const name of ['once', 'again'])
      await settle(
        () => node().get(jobs, site, name),
        (job) => valueAt(job, 'status', 'ready') === 0,
      )
    const before = await livesOf(node(), site)
    const found = await findings(site)
    expect(found.filter((line) => line.startsWith('LIV301'))).toHaveLength(3)

    const { planned, done } = await repair(site)
    expect(planned).toMatch(/delete Pod zombies\/zombie/)
    expect(planned).toMatch(/delete Pod zombies\/once-/)
    expect(planned).toMatch(/delete Job zombies\/again/)
    expect(planned).not.toMatch(/delete \w+ zombies\/busy/)
    expect(done).toMatch(/3 of 3 steps done/)
    await node().becomes(site, well, well)
    const after = await livesOf(node(), site)
    expect(before).toEqual(expect.arrayContaining([...after]))
    // The Job is complete if Docker ends immediately, or else failed. It never starts another pod.
    const once = await node().get(jobs, site, 'once')
    const [succeeded = 0, failed = 0] = ['succeeded', 'failed'].map((count) => numberAt(once, 'status', count))
    expect(succeeded + failed).toBe(1)
    expect(await node().get(jobs, site, 'again')).toBeUndefined()
    expect((await findings(site)).filter((line) => line.startsWith('LIV301'))).toEqual([])
  })

  it('reports why pods do not start', async () => {
    const site = await enter('creating')
    const lone = (more: object, volumes: readonly object[] = []) => ({
      ...graceful,
      containers: [{ ...ends, ...more }],
      volumes,
    })
    const env = [{ name: 'TOKEN', valueFrom: { secretKeyRef: { name: 'none', key: 'token' } } }]
    const mount = { volumeMounts: [{ name: 'config', mountPath: '/config' }] }
    await make(site, 'Pod', 'volume', lone(mount, [{ name: 'config', configMap: { name: 'none' } }]))
    await make(site, 'Pod', 'secret', lone({ env }))
    await make(site, 'Pod', 'image', lone({ image: 'registry.example/absent:1' }))
    await make(site, 'Pod', 'name', lone({ image: 'registry.example/Runner:1' }))
    await make(site, 'Pod', 'room', lone({ resources: { requests: { cpu: '5000' } } }))
    const expected = [
      /Pod\/image: .*the image of runner does not work \((ErrImagePull|ImagePullBackOff)\)/,
      /Pod\/name: .*the image of runner does not work \(InvalidImageName\)/,
      /Pod\/room: .*no node fits: 0\/\d nodes are available: 1 Insufficient cpu/,
      /Pod\/secret: .*the configuration of runner does not work \(CreateContainerConfigError\).*"none" not found/,
    ]
    const found = () => findings(site).then((lines) => lines.filter((line) => line.startsWith('LIV303')))
    await settle(found, (lines) => expected.every((one) => lines.some((line) => one.test(line))))
    expect((await doctor(site, '--fix')).stderr).toMatch(/plan: nothing to do/)
    for (const name of ['volume', 'secret', 'image', 'name', 'room']) expect(await named(site, name)).toBeDefined()
  })

  it('keeps a finalizer of another program', async () => {
    const site = await enter('held')
    await make(site, 'Pod', 'held', { ...graceful, containers: [ends] }, { finalizers: ['example.com/hold'] })
    await node().becomes(site, /^Succeeded/)
    await node().kubernetes.delete(pods, { namespace: site, name: 'held' })
    const found = await findings(site)
    expect(found.join('\n')).toMatch(/LIV302 Pod\/held: .*waits for the controller that set example\.com\/hold/)
    expect((await doctor(site, '--fix')).stderr).toMatch(/by hand: .*example\.com\/hold/)
    expect(await named(site, 'held')).toBeDefined()
    const free = { type: 'merge', body: { metadata: { finalizers: null } } } as const
    await node().kubernetes.patch(pods, { namespace: site, name: 'held' }, free)
    await node().becomes(site)
  })

  it('removes the pods of a deleted Job', async () => {
    const site = await enter('orphans')
    await make(site, 'Job', 'left', { template: { spec: { restartPolicy: 'Never', containers: [ends] } } })
    await node().becomes(site, /^Succeeded/)
    await settle(
      () => node().get(jobs, site, 'left'),
      (job) => valueAt(job, 'status', 'succeeded') === 1,
    )
    await node().kubernetes.delete(jobs, { namespace: site, name: 'left' }, { propagationPolicy: 'Orphan' })
    await settle(
      () => node().get(jobs, site, 'left'),
      (job) => job === undefined,
    )
    expect((await findings(site)).join('\n')).toMatch(/LIV305 Pod\/left-/)
    expect((await repair(site)).done).toMatch(/1 of 1 step done/)
    await node().becomes(site)
  })

  it('removes the finalizer of pods that the Job controller no longer counts', async () => {
    const site = await enter('uncounted')
    const [manager] = processesOf(/controlplane controller-manager /)
    if (manager === undefined) throw new Error('there is no controller manager')
    const names = ['one', 'two']
    for (const name of names)
      await make(site, 'Job', name, { template: { spec: { restartPolicy: 'Never', containers: [ends] } } })
    await node().becomes(site, /^Running/, /^Running/)
    process.kill(manager, 'SIGSTOP')
    try {
      for (const name of names)
        await node().kubernetes.delete(jobs, { namespace: site, name }, { propagationPolicy: 'Background' })
      await node().becomes(site, /^Succeeded/, /^Succeeded/)
      for (const { metadata } of await node().podsIn(site))
        await node().kubernetes.delete(pods, { namespace: site, name: metadata.name })
      await node().becomes(site, /^Succeeded!/, /^Succeeded!/)
      expect((await findings(site)).filter((line) => line.startsWith('JOB210'))).toHaveLength(2)
      expect((await repair(site, '--max-objects', '1')).done).toMatch(/1 of 1 step done/)
      await node().becomes(site, /^Succeeded!/)
    } finally {
      process.kill(manager, 'SIGCONT')
    }
    // The Job controller removes the other finalizer itself when it runs again.
    await node().becomes(site)
  })

  it("compares the number of finished pods with the controller manager's threshold", async () => {
    const site = await enter('finished')
    for (let index = 0; index < 14; index++)
      await make(site, 'Pod', `done-${index}`, { ...graceful, containers: [ends] })
    await settle(
      () => node().look(site),
      (lines) => lines.every((line) => line.startsWith('Succeeded')),
    )
    const { stdout } = await anywhere()
    expect(stdout).toMatch(/"LIV304"/)
    expect(stdout).toMatch(/most of them \(\d+\) in this namespace. Above 20 the garbage collector deletes the oldest/)
  })
}

const volumes = [{ name: 'data', emptyDir: { sizeLimit: '1Gi' } }]
const graceful = { restartPolicy: 'Never', terminationGracePeriodSeconds: 600 }
const image = 'ghcr.io/actions/actions-runner:2.329.0'
/** A runner that works for five seconds. */
const ends = { name: 'runner', image, command: ['/home/runner/run.sh'] }
const works = { ...ends, env: [{ name: 'WORK_SECONDS', value: '3600' }] }
const docker = {
  name: 'docker',
  image: 'docker:27-dind',
  securityContext: { privileged: true },
  volumeMounts: [{ name: 'data', mountPath: '/var/lib/docker' }],
}
const sidecar = {
  ...docker,
  restartPolicy: 'Always',
  startupProbe: { exec: { command: ['docker', 'info'] }, periodSeconds: 1, failureThreshold: 60 },
}

/** Adds the selector and the labels that the samples of Deployments and DaemonSets leave out. */
function selecting(manifest: object): object {
  const { kind, spec, metadata } = manifest as KubeObject & { readonly spec: { readonly template?: object } }
  if (kind !== 'Deployment' && kind !== 'DaemonSet') return manifest
  const labels = { app: metadata.name }
  const template = { metadata: { labels }, ...spec.template }
  return { ...manifest, spec: { ...spec, selector: { matchLabels: labels }, template } }
}

/** Identifies each pod, its version and the runs of its containers. */
async function livesOf(node: Node, namespace: string): Promise<readonly string[]> {
  return (await node.podsIn(namespace)).map(({ metadata, status }) => {
    const containers = listAt(status, 'containerStatuses').map((each) => textAt(each, 'containerID'))
    return [metadata.uid, metadata.resourceVersion, ...containers].join(' ')
  })
}

// Tests on a real node how fast each start failure shows its reason where operators look: conditions, Events, metrics, log and commands.
import { podLine } from '@dayfly/cluster/pod-stage.fixture'
import { events, runnerSets } from '@dayfly/controller/resources'
import { listAt, textAt } from '@dayfly/kit/read-json'
import type { KubeObject } from '@dayfly/kubernetes/types'
import { camelCase } from '@dayfly/runner-set/core/report'
import type { FailureReason } from '@dayfly/runner-set/model/failure'
import { afterAll, describe, expect, it } from 'vitest'
import { clock, configMaps, object, quotas } from '../client-place.ts'
import { runnerImage } from './images.ts'
import { createCredentials, installed, runnerSet } from './installation.ts'
import { metricsOf } from './metrics.ts'
import { nodeKubeconfig, processesOf, settle, whyNoNode } from './open-node.ts'
import { watchPods } from './pod-watch.ts'
import { loseLease, rightsInUse } from './rights-in-use.ts'
import { recordFailure } from './seen-failures.ts'
import { openSlowRegistry } from './slow-registry.ts'
import { queue } from './workload.ts'

const file = nodeKubeconfig
if (file) describe('on a real node', () => suite(file))
else describe('on a real node', () => it('the start failures', (context) => context.skip(whyNoNode)))

type Case = {
  readonly reason: FailureReason
  /** Replaces fields of the runner container, and of its pod. */
  readonly container?: object
  readonly pod?: object
  /** The first line of a pod, as `podLine` describes it, that shows the failure. Undefined if no pod exists. */
  readonly evidence: RegExp | undefined
  /** The message must match this. */
  readonly message: RegExp
}

const busybox = 'localhost/busybox:1'
const shell = (script: string) => ({ image: busybox, command: ['/bin/sh', '-c', script] })
const noProbe = { exec: { command: ['/bin/false'] } }
const helper = (name: string, more: object) => ({ name, image: busybox, ...more })

const cases: Readonly<Record<string, Case>> = {
  'image-missing': {
    reason: 'image-missing',
    container: { image: 'registry.example/absent:1' },
    evidence: /ErrImagePull|ImagePullBackOff/,
    message: /registry\.example\/absent:1/,
  },
  'image-invalid': {
    reason: 'image-invalid',
    container: { image: 'registry.example/Runner:1' },
    evidence: /InvalidImageName/,
    message: /registry\.example\/Runner:1/,
  },
  'secret-missing': {
    reason: 'config-missing',
    container: { env: [{ name: 'TOKEN', valueFrom: { secretKeyRef: { name: 'absent', key: 'token' } } }] },
    evidence: /CreateContainerConfigError/,
    message: /"absent" not found/,
  },
  'volume-missing': {
    reason: 'volume-failed',
    pod: { volumes: [{ name: 'data', configMap: { name: 'absent' } }] },
    container: { volumeMounts: [{ name: 'data', mountPath: '/data' }] },
    evidence: /^Pending/,
    message: /"absent" not found/,
  },
  unschedulable: {
    reason: 'unschedulable',
    container: { resources: { requests: { cpu: '5000' } } },
    evidence: /^Pending/,
    message: /Insufficient cpu/,
  },
  quota: { reason: 'quota-exceeded', evidence: undefined, message: /exceeded quota: few/ },
  'init-failure': {
    reason: 'init-failed',
    pod: { initContainers: [helper('prepare', shell('exit 7'))] },
    evidence: /prepare=Error\(7\)/,
    message: /prepare.*exit code 7/,
  },
  'startup-probe': {
    reason: 'sidecar-not-ready',
    pod: {
      initContainers: [
        helper('proxy', {
          ...shell('sleep 3600'),
          restartPolicy: 'Always',
          startupProbe: { exec: { command: ['/bin/false'] }, periodSeconds: 1, failureThreshold: 20 },
        }),
      ],
    },
    evidence: /proxy=running /,
    message: /container proxy/,
  },
  'helper-crash': {
    reason: 'helper-crashes',
    pod: { initContainers: [helper('docker', { ...shell('exit 3'), restartPolicy: 'Always', startupProbe: noProbe })] },
    evidence: /docker=/,
    message: /container docker: exit code 3 \(Error\), \d restarts?; kubectl -n \S+ logs \S+ -c docker --previous/,
  },
  'out-of-memory': {
    reason: 'out-of-memory',
    container: { ...shell('head -c 100m /dev/zero | tail'), resources: { limits: { memory: '20Mi' } } },
    evidence: /OOMKilled/,
    message: /memory|137/,
  },
  'command-missing': {
    reason: 'command-missing',
    container: { command: ['/absent/program'] },
    evidence: /StartError|RunContainerError/,
    message: /\/absent\/program/,
  },
  'hook-hangs': {
    reason: 'hook-hangs',
    container: { ...shell('sleep 3600'), lifecycle: { postStart: { exec: { command: ['/bin/sleep', '3599'] } } } },
    pod: { terminationGracePeriodSeconds: 2 },
    evidence: /ContainerCreating/,
    message: /postStart/,
  },
  evicted: {
    reason: 'evicted',
    container: {
      ...shell('dd if=/dev/zero of=/scratch/file bs=1M count=64; sleep 3600'),
      volumeMounts: [{ name: 'scratch', mountPath: '/scratch' }],
    },
    pod: { volumes: [{ name: 'scratch', emptyDir: { sizeLimit: '16Mi' } }] },
    evidence: /^Failed/,
    message: /./,
  },
}

function suite(kubeconfig: string): void {
  const stage = installed(kubeconfig, {
    name: 'failing',
    latencyMs: 150,
    values: { scope: 'cluster', watchNamespaces: [] },
  })

  // The kubelet cannot end a pod whose hook hangs.
  afterAll(() => {
    for (const pid of processesOf(/sleep 3599/)) process.kill(pid, 'SIGKILL')
  })

  it.concurrent.each(Object.entries(cases))('shows within 45 s: %s', async (name, failure) => {
    const { node, forge, createSet } = stage()
    const namespace = await node.enter(`failing-${name}`)
    await createCredentials(node, namespace, forge)
    if (failure.reason === 'quota-exceeded') {
      await node.kubernetes.create(
        quotas,
        object('v1', 'ResourceQuota', { name: 'few', namespace }, { spec: { hard: { pods: '0' } } }),
      )
    }
    const runner = { name: 'runner', image: runnerImage, ...failure.container }
    const template = { spec: { containers: [runner], ...failure.pod } }
    let evidenceAt = failure.evidence ? undefined : clock.now()
    const watch = watchPods(node, namespace, undefined, (pod) => {
      if (failure.evidence?.test(podLine(pod))) evidenceAt ??= clock.now()
    })
    const set = runnerSet(namespace, name, forge, { scale: { max: 1 }, template })
    await createSet(set)
    queue(forge, name, 1)
    const shown = await settle(
      async () => {
        const lines = watch.live().map((pod) => podLine(pod))
        const found = await node.get(runnerSets, namespace, name)
        return { lines, last: textAt(found, 'status', 'lastReason'), degraded: degraded(found), found }
      },
      ({ last, degraded }) => last === failure.reason || degraded.reason === camelCase(failure.reason),
      150_000,
    ).finally(() => watch.close())
    const seconds = (clock.now() - (evidenceAt ?? Number.NaN)) / 1_000
    expect(seconds).toBeLessThan(45)
    const last = textAt(shown.found, 'status', 'lastMessage')
    expect(`${last} ${shown.degraded.message}`).toMatch(failure.message)
    recordFailure(name, { reason: failure.reason, seconds, sentence: last ?? shown.degraded.message ?? '' })
    // Every place shows it within 45 s of its evidence. One look at all of them takes some seconds.
    await settle(
      () => elsewhere(namespace, name, failure.reason),
      (places) => places.length === 5,
      Math.max(5_000, 45_000 - seconds * 1_000),
    )
  })

  it.concurrent('shows within 45 s: slow-image', async () => {
    const { node, forge, operator, system, createSet } = stage()
    const namespace = await node.enter('failing-slow-image')
    await createCredentials(node, namespace, forge)
    const { image, close } = await openSlowRegistry()
    const template = { spec: { containers: [{ name: 'runner', image }] } }
    await createSet(runnerSet(namespace, 'slow', forge, { scale: { min: 1, max: 1 }, template }))
    const created = await settle(
      async () => (await node.podsIn(namespace))[0],
      (pod) => pod !== undefined,
    )
    const sentence = await settle(
      async () => textAt(conditionWith(await node.get(runnerSets, namespace, 'slow'), 'Ready'), 'message') ?? '',
      (message) => message.includes(`the node pulls the image ${image} since `),
    )
    const seconds = (clock.now() - Date.parse(textAt(created, 'metadata', 'creationTimestamp') ?? '')) / 1_000
    expect(seconds).toBeLessThan(45)
    const explained = await operator.dayfly('explain', 'slow', '-n', namespace, '--lease-namespace', system)
    expect(explained.replace(/\s+/g, ' ')).toContain(`the node pulls the image ${image}`)
    recordFailure('slow-image', { reason: 'start-under-way', seconds, sentence })
    await node.kubernetes.delete(runnerSets, { namespace, name: 'slow' })
    close()
  })

  // The sets of the other tests still fail, so they make the controller use its other rights.
  it('uses each right of the ClusterRole and asks for no other', async () => {
    const { node, forge, watched, createSet } = stage()
    const data = { 'ca.crt': '' }
    await node.kubernetes.create(configMaps, object('v1', 'ConfigMap', { name: 'ca', namespace: watched }, { data }))
    const github = { url: forge.url, plainHttp: true, credentials: { secret: 'github' }, ca: { configMap: 'ca' } }
    await createSet(runnerSet(watched, 'trusting', forge, { github }))
    await loseLease(stage())
    const rights = await settle(
      () => rightsInUse(stage()),
      ({ unused }) => unused.length === 0,
      150_000,
    )
    expect(rights).toEqual({ denied: [], unused: [] })
  })

  /** Returns where else the reason is shown. */
  async function elsewhere(namespace: string, set: string, reason: FailureReason): Promise<readonly string[]> {
    const { node, controllers, log, operator, system } = stage()
    const published = (await node.kubernetes.list(events, { namespace })).items.some(
      (event) => textAt(event, 'involvedObject', 'name') === set && textAt(event, 'reason') === camelCase(reason),
    )
    const labels = `namespace="${namespace}",set="${set}",reason="${reason}"`
    const counted = (await metricsOf(await controllers())).some(
      (line) => line.includes(labels) && / [1-9]\d*$/.test(line),
    )
    const logged = (await log()).some(
      (line) => line.includes(`"set":"${set}"`) && line.includes(`"reason":"${reason}"`),
    )
    const names = async (...command: readonly string[]) => {
      const text = await operator.dayfly(...command, '-n', namespace, '--lease-namespace', system)
      return text.includes(`${reason}: `)
    }
    const shown = { published, counted, logged, status: await names('status'), explained: await names('explain', set) }
    return Object.entries(shown).flatMap(([place, is]) => (is ? [place] : []))
  }
}

function conditionWith(set: KubeObject | undefined, type: string) {
  return listAt(set, 'status', 'conditions').find((each) => textAt(each, 'type') === type)
}

function degraded(set: KubeObject | undefined) {
  const condition = conditionWith(set, 'Degraded')
  return { reason: textAt(condition, 'reason'), message: textAt(condition, 'message') }
}

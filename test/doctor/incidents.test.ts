// The incidents, end to end on the embedded cluster.
// Each test applies a sample and sees the incident. The doctor fixes the file; the fixed file gives no incident.
import { ApiError } from '@dayfly/cluster/api/errors'
import type { ClusterOptions } from '@dayfly/cluster/cluster'
import { openPodStage } from '@dayfly/cluster/pod-stage.fixture'
import { decodeFiles, examine } from '@dayfly/doctor/engine/examine'
import { runRules } from '@dayfly/doctor/engine/run-rules'
import type { VersionFact } from '@dayfly/doctor/facts'
import { fixFiles } from '@dayfly/doctor/fix/fixes'
import { arcKinds, createArc, openDoctorCluster, ownedBy } from '@dayfly/doctor/live/doctor-cluster.fixture'
import { gatherLive } from '@dayfly/doctor/live/gather'
import { planRepair } from '@dayfly/doctor/live/plan'
import { planDefaults } from '@dayfly/doctor/live/plan-options'
import { repair } from '@dayfly/doctor/live/repair'
import type { DecodedFile } from '@dayfly/doctor/read/decode/document'
import { catalogue } from '@dayfly/doctor/rules/catalogue'
import { afterEach, expect, it } from 'vitest'
import { jobTemplates, manifests, podOfRunner, rendered, runnerSets, sample, templateOfSet } from './samples.fixture.ts'

type Stage = ReturnType<typeof openPodStage>
const minute = 60_000
const stages: Stage[] = []

/** The runner ends by itself after five seconds. Docker runs until it receives a signal, and answers its probe. */
function open(cluster: Partial<ClusterOptions> = {}): Stage {
  const docker = { onTerm: { afterMs: 500, exitCode: 0 }, exec: () => ({ exitCode: 0 }) }
  const ends = { endsAfterMs: 5_000 }
  const stage = openPodStage({
    scripts: { runner: ends, export: ends, docker, dind: docker, 'init-dind-externals': { endsAfterMs: 100 } },
    cluster,
  })
  stages.push(stage)
  return stage
}

afterEach(async () => {
  for (const stage of stages.splice(0)) {
    const stopped = stage.cluster.stop()
    await stage.clock.advance(minute)
    await stopped
  }
})

/** The text after every fix that a declared 1.33 allows. */
function fixed(name: string, text: string): string {
  const version: VersionFact = { minors: [33], declared: true, from: 'the test' }
  const findingsOf = (files: readonly DecodedFile[]) => examine(files, catalogue, { version }).findings
  const { changed, refused } = fixFiles(decodeFiles([{ path: name, text }]), findingsOf, () => true)
  expect(refused).toEqual([])
  expect(changed).toHaveLength(1)
  return changed[0]?.after.text ?? ''
}

function applyJob(stage: Stage, text: string): void {
  const job = manifests(text).find(({ kind }) => kind === 'Job')
  expect(job).toBeDefined()
  stage.registry.create('jobs.batch', { ...job, metadata: { ...job?.metadata, namespace: 'default' } })
}

function jobs(stage: Stage) {
  return stage.registry.list('jobs.batch', 'default') as readonly {
    readonly status?: { readonly active?: number; readonly succeeded?: number }
  }[]
}

const withOauth = (stage: Stage) =>
  stage.registry.create('secrets', {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'runner-oauth-credentials-a1', namespace: 'default' },
    data: { oauthClientId: 'YQ==', oauthClientSecret: 'YQ==' },
  })

it.each(jobTemplates)(
  'S0: %s: the pod outlives its runner; fixed, the Job completes and is cleaned up',
  async (name, unwrap) => {
    const sick = open()
    withOauth(sick)
    applyJob(sick, rendered(unwrap(sample(name))))
    await sick.clock.advance(60 * minute)
    expect(jobs(sick)[0]?.status).toMatchObject({ active: 1 })
    expect(sick.seen.at(-1)).toMatch(/Running docker=running,started,ready runner=Completed\(0\)/)

    const well = open()
    withOauth(well)
    applyJob(well, rendered(unwrap(fixed(name, sample(name)))))
    await well.clock.advance(minute)
    expect(jobs(well)[0]?.status).toMatchObject({ succeeded: 1 })
    await well.clock.advance(11 * minute)
    expect([jobs(well), well.registry.list('pods')]).toEqual([[], []])
  },
)

const podOfSet = (text: string) => podOfRunner(templateOfSet(text))

it.each(runnerSets)('ARC: %s: its pods never end or never start; the fixed ones do both', async (name, read, fate) => {
  const run = async (text: string) => {
    const stage = open({ profile: '1.36' })
    stage.registry.create('pods', podOfRunner(read(text)))
    await stage.clock.advance(60 * minute)
    return stage.seen.at(-1)
  }
  expect(await run(sample(name))).toMatch(fate)
  expect(await run(fixed(name, sample(name)))).toMatch(/Succeeded .*runner=Completed\(0\)/)
})

it('S1: Kubernetes 1.33 refuses a daemon with OnFailure, and 1.36 hangs on it; with the fix, the runner runs', async () => {
  const text = sample('s1-on-failure.yaml')
  expect(() => open({ profile: '1.33' }).registry.create('pods', podOfSet(text))).toThrow(ApiError)
  const sick = open({ profile: '1.36' })
  sick.registry.create('pods', podOfSet(text))
  await sick.clock.advance(60 * minute)
  expect(sick.seen.at(-1)).toMatch(/Pending/)

  for (const profile of ['1.33', '1.36'] as const) {
    const well = open({ profile })
    well.registry.create('pods', podOfSet(fixed('s1-on-failure.yaml', text)))
    await well.clock.advance(minute)
    expect(well.seen.at(-1)).toMatch(/Succeeded .*runner=Completed\(0\)/)
  }
})

it('S2: finished pods above the threshold are collected; with the fix, Jobs clean up after themselves and no pod is collected', async () => {
  const text = sample('s2-many-jobs.yaml')
  const collected = async (manifest: string) => {
    const stage = open({ terminatedPodGcThreshold: 5 })
    const gone: string[] = []
    stage.registry.subscribe('pods', ({ type, object }) => {
      if (type === 'DELETED') gone.push(object.metadata.name)
    })
    const [job] = manifests(manifest).filter(({ kind }) => kind === 'Job')
    for (let index = 0; index < 12; index++) {
      const metadata = { name: `job-${index}`, namespace: 'default' }
      stage.registry.create('jobs.batch', { ...job, metadata })
      // A Job every three minutes: with a TTL of ten minutes, the cluster never holds five finished pods.
      await stage.clock.advance(3 * minute)
    }
    const counted = jobs(stage).filter(({ status }) => status?.succeeded === 1).length
    return { gone: gone.length, left: stage.registry.list('pods').length, jobs: jobs(stage).length, counted }
  }
  expect(await collected(text)).toMatchObject({ gone: 7, left: 5, jobs: 12, counted: 12 })
  const after = await collected(fixed('s2-many-jobs.yaml', text))
  expect(after.left).toBeLessThan(5)
  expect(after.jobs).toBe(after.left)
})

it('S3: a hook that hangs keeps the pod from starting and from ending; the pod without the hook does both', async () => {
  const [agent] = manifests(sample('s3-hook.yaml'))
  const { spec } = (agent?.spec['template'] ?? {}) as { readonly spec: { readonly containers: readonly object[] } }
  const run = async (pod: object) => {
    const stage = openPodStage({ scripts: { agent: { exec: () => 'hangs' } } })
    stages.push(stage)
    stage.create({ restartPolicy: 'Always', ...pod })
    await stage.clock.advance(10 * minute)
    const started = stage.pod()?.['status'] as { readonly phase: string }
    stage.registry.delete('pods', 'default', 'p')
    await stage.clock.advance(10 * minute)
    return [started.phase, stage.pod() === undefined ? 'gone' : 'Terminating']
  }
  expect(await run(spec)).toEqual(['Pending', 'Terminating'])
  const containers = spec.containers.map((container) => ({ ...container, lifecycle: undefined }))
  expect(await run({ ...spec, containers })).toEqual(['Running', 'gone'])
})

it('S4: a set whose controller went first is never deleted; the repair frees it from below, and the rule finds nothing', async () => {
  const cluster = openDoctorCluster()
  const set = createArc(cluster.registry, 'AutoscalingRunnerSet', {
    name: 'builds',
    finalizers: ['autoscalingrunnerset.actions.github.com/finalizer'],
  })
  createArc(cluster.registry, 'EphemeralRunnerSet', {
    name: 'builds-x',
    finalizers: ['ephemeralrunnerset.actions.github.com/finalizer'],
    ownerReferences: ownedBy(set),
  })
  for (const kind of ['AutoscalingRunnerSet', 'EphemeralRunnerSet'] as const)
    cluster.registry.delete(arcKinds[kind], 'runners', kind === 'AutoscalingRunnerSet' ? 'builds' : 'builds-x')
  await cluster.clock.sleep(2 * minute)
  const look = async () => {
    const facts = await gatherLive(cluster)
    const hits = runRules(facts, catalogue).hits.filter(({ rule }) => rule.slug === 'uninstall-stuck')
    const found = hits.map(({ rule, hit }) => ({ rule: rule.slug, object: hit.object }))
    return { found, plan: planRepair(facts, found, { ...planDefaults, restoreDeclined: true }) }
  }
  const { found, plan } = await look()
  expect(found.map(({ object }) => object.name)).toEqual(['builds'])
  const keepImage = async () => undefined
  await repair(plan, { ...cluster, account: undefined, confirmed: plan.digest, keepImage, log: () => undefined })
  expect([
    ...cluster.registry.list(arcKinds.AutoscalingRunnerSet),
    ...cluster.registry.list(arcKinds.EphemeralRunnerSet),
  ]).toEqual([])
  expect((await look()).found).toEqual([])
})

// Tests the incidents on a real node. The sample causes the incident, `dayfly doctor` finds it and fixes the file, and the fixed file works.
import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { jsonReport } from '@dayfly/doctor/report/shape'
import { fieldsAt, listAt, valueAt } from '@dayfly/kit/read-json'
import type { KubeObject } from '@dayfly/kubernetes/types'
import { describe, expect, it } from 'vitest'
import { program } from '../../cli.ts'
import {
  jobTemplates,
  manifests,
  podOfRunner,
  rendered,
  runnerSets,
  sample,
  templateOfSet,
} from '../../doctor/samples.fixture.ts'
import { pods } from '../client-place.ts'
import { findingsIn } from '../live-doctor.ts'
import { jobs, nodeKubeconfig, nodePlace, processesOf, settle, whyNoNode } from './open-node.ts'

const file = nodeKubeconfig
if (file) describe('on a real node', () => suite(file))
else describe('on a real node', () => it('the incidents', (context) => context.skip(whyNoNode)))

function suite(kubeconfig: string): void {
  const { node, folder, doctor: live } = nodePlace(kubeconfig)
  const enter = (name: string) => node().enter(name)
  /** Returns the file after `dayfly doctor --fix=unsafe`. Expects the findings that the comments in the file name. */
  async function fixed(name: string): Promise<string> {
    const text = sample(name)
    const copy = path.join(folder, name)
    writeFileSync(copy, text)
    expect(codesIn(await doctor(copy))).toEqual(expectedIn(text))
    await doctor(copy, '--kubernetes-version', '1.36', '--fix=unsafe')
    expect(codesIn(await doctor(copy, '--kubernetes-version', '1.36')).join()).not.toMatch(/POD10|JOB20[126]/)
    return readFileSync(copy, 'utf8')
  }

  function doctor(...args: readonly string[]): Promise<string> {
    const command = [program, 'doctor', ...args, '--format', 'json', '--min-confidence', 'low']
    return new Promise((resolve, reject) => {
      const child = execFile(process.execPath, command, (_error, stdout, stderr) =>
        [0, 1].includes(child.exitCode ?? -1) ? resolve(stdout) : reject(new Error(stderr)),
      )
    })
  }

  async function job(namespace: string): Promise<KubeObject | undefined> {
    return (await node().kubernetes.list(jobs, { namespace })).items[0]
  }

  /** Shortens the TTL of the Job, so that the test need not wait for it. */
  async function shortenTtl(namespace: string): Promise<void> {
    const name = (await job(namespace))?.metadata.name ?? ''
    const body = { spec: { ttlSecondsAfterFinished: 3 } }
    await node().kubernetes.patch(jobs, { namespace, name }, { type: 'merge', body })
  }

  it.concurrent.each(jobTemplates)('S0: %s', async (name, unwrap) => {
    const site = `s0-${name.replace(/\..*/, '')}`
    const sick = await enter(`${site}-sick`)
    const well = await enter(`${site}-well`)
    const corrected = await fixed(name)
    for (const each of manifests(rendered(unwrap(sample(name))))) await node().apply(sick, each)
    await node().becomes(sick, /^Running docker=running,started,ready runner=Completed\(0\)/)
    await shortenTtl(sick)
    for (const each of manifests(rendered(unwrap(corrected)))) await node().apply(well, each)
    await settle(
      () => job(well),
      (done) => valueAt(done, 'status', 'succeeded') === 1,
    )
    await shortenTtl(well)
    await settle(
      () => job(well),
      (gone) => gone === undefined,
    )
    await node().becomes(well)
    // The Job of the unfixed sample has not changed in the meantime.
    expect(await node().look(sick)).toEqual([
      expect.stringMatching(/^Running docker=running,started,ready runner=Completed\(0\)/),
    ])
    expect(valueAt(await job(sick), 'status')).toMatchObject({ active: 1 })
    const found = findingsIn(await live('-n', sick), sick)
    expect(found.filter((line) => line.startsWith('LIV301'))).toHaveLength(1)
  })

  it.concurrent.each(runnerSets)('ARC: %s', async (name, read, fate) => {
    const site = `arc-${name.replace('.yaml', '')}`
    const sick = await enter(`${site}-sick`)
    const well = await enter(`${site}-well`)
    const corrected = await fixed(name)
    await node().apply(sick, podOfRunner(read(sample(name))))
    await node().becomes(sick, fate)
    await node().apply(well, podOfRunner(read(corrected)))
    await node().becomes(well, /^Succeeded .*runner=Completed\(0\)/)
    expect(await node().look(sick)).toEqual([expect.stringMatching(fate)])
    const found = findingsIn(await live('-n', sick), sick).join('\n')
    expect(found).toMatch(fate.source.startsWith('Pending') ? /LIV303.*never ends/ : /LIV301/)
  })

  it.concurrent('S1: s1-on-failure.yaml', async () => {
    const sick = await enter('s1-sick')
    const well = await enter('s1-well')
    const corrected = await fixed('s1-on-failure.yaml')
    await node().apply(sick, podOfRunner(templateOfSet(sample('s1-on-failure.yaml'))))
    await node().becomes(sick, /^Pending init-dind-externals=Completed\(0\) dind=running/)
    await node().apply(well, podOfRunner(templateOfSet(corrected)))
    await node().becomes(well, /^Succeeded .*runner=Completed\(0\)/)
    expect(await node().look(sick)).toEqual([expect.stringMatching(/^Pending .*dind=running/)])
    const found = findingsIn(await live('-n', sick), sick).join('\n')
    expect(found).toMatch(/LIV303.*dind is a daemon and never ends/)
  })

  it('S2: s2-many-jobs.yaml', async () => {
    const sick = await enter('s2-sick')
    const well = await enter('s2-well')
    const [job] = manifests(sample('s2-many-jobs.yaml'))
    const [corrected] = manifests(await fixed('s2-many-jobs.yaml'))
    for (let count = 0; count < 30; count++) await node().apply(sick, job ?? {})
    const counted = async (namespace: string) => {
      const { items } = await node().kubernetes.list(jobs, { namespace })
      return items.filter((each) => valueAt(each, 'status', 'succeeded') === 1).length
    }
    await settle(
      () => counted(sick),
      (count) => count === 30,
    )
    // The pod garbage collector runs every twenty seconds and counts the pods of all namespaces.
    await settle(
      () => node().podsIn(sick),
      ({ length }) => length <= 20,
    )
    expect(await counted(sick)).toBe(30)
    expect(await doctor('--live', '--kubeconfig', kubeconfig, '-n', sick)).toContain('JOB201')
    const spec = { ...corrected?.spec, ttlSecondsAfterFinished: 1 }
    for (let count = 0; count < 5; count++) await node().apply(well, { ...corrected, spec })
    await settle(
      () => node().kubernetes.list(jobs, { namespace: well }),
      ({ items }) => items.length === 0,
    )
    await node().becomes(well)
  })

  it('S3: s3-hook.yaml', async () => {
    const sick = await enter('s3-sick')
    const well = await enter('s3-well')
    const [agent] = manifests(sample('s3-hook.yaml'))
    expect(
      codesIn(await doctor(new URL('../../../packages/doctor/src/samples/s3-hook.yaml', import.meta.url).pathname)),
    ).toEqual(expectedIn(sample('s3-hook.yaml')))
    const hooked = fieldsAt(agent, 'spec', 'template', 'spec')
    const of = (spec: object) => ({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'agent' }, spec })
    await node().apply(sick, of({ ...hooked, terminationGracePeriodSeconds: 2 }))
    await node().becomes(sick, /^Pending agent=ContainerCreating/)
    const hook = () => processesOf(/while ! curl/)
    await settle(
      async () => hook(),
      ({ length }) => length > 0,
    )
    const creating = findingsIn(await live('-n', sick), sick).join('\n')
    expect(creating).toMatch(/LIV303.*the postStart command of agent may hang/)
    await node().kubernetes.delete(pods, { namespace: sick, name: 'agent' })

    const containers = listAt(hooked, 'containers').map((each) => ({ ...Object(each), lifecycle: undefined }))
    await node().apply(well, of({ ...hooked, containers, terminationGracePeriodSeconds: 2 }))
    await node().becomes(well, /^Running/)
    await node().kubernetes.delete(pods, { namespace: well, name: 'agent' })
    await node().becomes(well)
    expect(await node().look(sick)).toEqual([expect.stringMatching(/^Pending! agent=ContainerCreating/)])
    const stuck = await live('-n', sick, '--fix')
    expect(findingsIn(stuck, sick).join('\n')).toMatch(
      /LIV302.*the postStart command of agent seems to hang.*127.0.0.1/,
    )
    expect(stuck.stderr).toMatch(/not touched: .*time alone proves nothing/)
    // The doctor's finding says to do this by hand.
    for (const pid of hook()) process.kill(pid, 'SIGKILL')
    await node().becomes(sick)
  })
}

function codesIn(stdout: string): readonly string[] {
  return jsonReport.parse(JSON.parse(stdout)).findings.map(({ line, code }) => `${line} ${code}`)
}

/** Returns the findings that the sample's comments name. */
function expectedIn(text: string): readonly string[] {
  return text.split('\n').flatMap((line, index) => {
    const codes = /# ((?:[A-Z]{3}\d{3} ?)+)$/.exec(line)?.[1] ?? ''
    return codes.split(' ').flatMap((code) => (code === '' ? [] : [`${index + 1} ${code}`]))
  })
}

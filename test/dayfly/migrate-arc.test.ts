// Imports what real releases of ARC put into a cluster, and lets the API server of the embedded cluster judge the RunnerSets and their pods.
import { createRegistry } from '@dayfly/cluster/api/create-registry'
import { createStore } from '@dayfly/cluster/store/store'
import { seededRandom } from '@dayfly/kit/random'
import { fieldsAt, listAt, textsAt } from '@dayfly/kit/read-json'
import { virtualClock } from '@dayfly/kit/virtual-clock'
import { createKubernetes } from '@dayfly/kubernetes/client'
import { runnerSetCrd } from '@dayfly/runner-set/config/crd'
import { parseRunnerSet } from '@dayfly/runner-set/config/runner-set'
import { defaultSpec } from '@dayfly/runner-set/core/default-spec'
import { buildPod } from '@dayfly/runner-set/core/pod'
import { importArc } from 'dayfly/migrate/arc/import'
import { readArcObjects, readHelmRelease } from 'dayfly/migrate/arc/read/cluster'
import { describe, expect, it } from 'vitest'
import { openArcStage, recordedStates, releases } from '../doctor/arc-objects.fixture.ts'

function imported(text: string) {
  return importArc({
    files: [{ path: 'cluster.json', text }],
    valuesFiles: [],
    helmReleases: [],
    name: undefined,
    namespace: 'arc-runners',
    defaultSpec: defaultSpec({ forge: 'github', docker: 'sidecar' }, ''),
    credentialFile: '/run/dayfly/credential',
  })
}

function server() {
  const registry = createRegistry({ store: createStore(), clock: virtualClock(), random: seededRandom(1) })
  registry.create('namespaces', { metadata: { name: 'arc-runners' } })
  registry.create('customresourcedefinitions.apiextensions.k8s.io', runnerSetCrd())
  return registry
}

/** The oldest release copies with -v, and all of them split the command. */
function podOf(set: ReturnType<typeof imported>['sets'][number] | undefined) {
  const spec = fieldsAt(set?.document.spec, 'template', 'spec') ?? {}
  const words = (container: unknown) =>
    [...textsAt(container, 'command'), ...textsAt(container, 'args')].filter((word) => word !== '-v')
  const initContainers = listAt(spec, 'initContainers').map((container) => {
    const { command: _command, args: _args, ...rest } = fieldsAt(container) ?? {}
    return { ...rest, words: words(container) }
  })
  return { ...spec, initContainers }
}

describe.each(releases)('ARC %s', (release) => {
  const { running } = recordedStates(release)
  const result = imported(running?.objects.map((object) => JSON.stringify(object)).join('\n---\n') ?? '')
  const named = (name: string) => result.sets.find(({ document }) => document.metadata.name === name)

  it('has its sets imported, which the API server accepts with their pods in a dry run', () => {
    const registry = server()
    registry.create('serviceaccounts', { metadata: { name: 'dayfly-job-pods', namespace: 'arc-runners' } })
    expect(result.sets.length).toBeGreaterThanOrEqual(3)
    for (const { document } of result.sets) {
      const object = registry.create('runnersets.dayfly.dev', document, { dryRun: true })
      const parsed = parseRunnerSet(object as unknown as typeof document)
      if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems))
      const pod = buildPod({ ...parsed.set, uid: 'aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa' }, 'one', '1')
      expect(() => registry.create('pods', pod, { dryRun: true })).not.toThrow()
    }
  })

  it('needs nothing but Docker in place of the mode dind, and nothing in place of the plain mode', () => {
    expect(named('linux')?.document.spec).not.toHaveProperty('template')
    const [fromValues] = imported('githubConfigUrl: x\ngithubConfigSecret: x\ncontainerMode: {type: dind}\n').sets
    expect(named('linux-dind')?.document.spec).toHaveProperty('docker', 'sidecar')
    expect(podOf(named('linux-dind'))).toEqual(podOf(fromValues))
  })

  it('gives jobs of the mode kubernetes pods of their own, and copies the Secret that ARC takes away', () => {
    const set = named('linux-k8s')
    expect(set?.document.spec).toMatchObject({ jobs: 'pods', jobPods: { work: {} } })
    expect(JSON.stringify(set?.document.spec)).not.toMatch(/CONTAINER_HOOKS|serviceAccountName/)
    expect(set?.lines.filter(({ is }) => is === 'decide')).toEqual([])
    expect(named('linux')?.secrets).toMatchObject([
      { name: 'linux-github', from: { command: expect.stringContaining('get secret linux-gha-rs-github-secret') } },
    ])
  })
})

it('reads the sets of a live cluster, and none of a cluster without ARC', async () => {
  const { clock, transport } = await openArcStage('0.14.2', 'running')
  const kubernetes = createKubernetes({ transport, clock, random: seededRandom(1) })
  const files = await readArcObjects(kubernetes, 'arc-runners')
  expect(files.map(({ path }) => path)).toContain('AutoscalingRunnerSet arc-runners/linux')
  const { sets } = imported(files.map(({ text }) => text).join('\n---\n'))
  expect(sets.map(({ document }) => document.metadata.name).sort()).toEqual(
    files.map(({ path }) => path.replace(/.*\//, '')).sort(),
  )
  expect(await readArcObjects(kubernetes, 'elsewhere')).toEqual([])
  // The values of the recorded Secrets are redacted.
  expect(await readHelmRelease(kubernetes, 'arc-runners', 'linux')).toMatch(/^The Secret holds no release/)
  expect(await readHelmRelease(kubernetes, 'arc-runners', 'other')).toMatch(/^There is no Helm release other/)
})

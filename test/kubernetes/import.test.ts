// Imports whole installations of Atlassian's autoscaler, and lets a real API server judge the RunnerSets and their pods in a strict dry run.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { runnerSets } from '@dayfly/controller/resources'
import { systemClock } from '@dayfly/kit/system'
import { connect } from '@dayfly/kubernetes/connect'
import { KubernetesError } from '@dayfly/kubernetes/errors'
import { loadKubeconfig } from '@dayfly/kubernetes/kubeconfig'
import type { KubeObject, Resource } from '@dayfly/kubernetes/types'
import { runnerSetCrd } from '@dayfly/runner-set/config/crd'
import { parseRunnerSet } from '@dayfly/runner-set/config/runner-set'
import { defaultSpec } from '@dayfly/runner-set/core/default-spec'
import { buildPod } from '@dayfly/runner-set/core/pod'
import { importAutoscaler } from 'dayfly/migrate/bitbucket-autoscaler/import'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { crds, createPlace, eventually, object, pods } from './client-place.ts'
import { kubeconfig, whyNone } from './cluster.ts'

const folder = path.resolve(import.meta.dirname, '../dayfly/migrate/bitbucket-autoscaler')
const file = kubeconfig
if (file) describe('a real API server', () => suite(file))
else describe('a real API server', () => it('judges an import', (context) => context.skip(whyNone)))

function suite(file: string): void {
  const { kubernetes, namespace } = createPlace(async () => connect(await loadKubeconfig(file), systemClock()))
  const accounts = { ...pods, plural: 'serviceaccounts', kind: 'ServiceAccount' }
  const priorities: Resource = {
    group: 'scheduling.k8s.io',
    version: 'v1',
    plural: 'priorityclasses',
    kind: 'PriorityClass',
    namespaced: false,
  }
  let mine = false

  beforeAll(async () => {
    mine = await kubernetes.create(crds, runnerSetCrd() as unknown as KubeObject).then(
      () => true,
      (error: unknown) => {
        if (error instanceof KubernetesError && error.kind === 'already-exists') return false
        throw error
      },
    )
    // One of the installations names it.
    await kubernetes.create(priorities, object('scheduling.k8s.io/v1', 'PriorityClass', { name: 'ci' }, { value: 1 }))
    await eventually('RunnerSets are served', () => kubernetes.list(runnerSets, { namespace }))
  })
  afterAll(async () => {
    if (mine) await kubernetes.delete(crds, { name: 'runnersets.dayfly.dev' })
    await kubernetes.delete(priorities, { name: 'ci' })
  })

  function documentsOf(shape: string) {
    const text = (name: string) => readFileSync(path.join(folder, shape, name), 'utf8')
    const result = importAutoscaler({
      configuration: text('runners_config.yaml'),
      template: text('job.yaml.template'),
      mode: 'corrected',
      strategy: 'percentage',
      defaultSpec: defaultSpec({ forge: 'bitbucket', docker: 'sidecar' }, ''),
    })
    if (!result.ok) throw new Error(JSON.stringify(result.problems))
    return result.sets.map(({ document }) => ({ ...document, metadata: { ...document.metadata, namespace } }))
  }

  const strictly = { dryRun: true, fieldValidation: 'Strict' } as const

  it.each(readdirSync(folder).sort())('accepts each field of %s', async (shape) => {
    for (const document of documentsOf(shape)) {
      await kubernetes.create(runnerSets, document as unknown as KubeObject, strictly)
      const parsed = parseRunnerSet(document)
      if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems))
      const pod = buildPod({ ...parsed.set, uid: '11111111-1111-4111-8111-111111111111' }, 'one', '1')
      const account = String(pod.spec['serviceAccountName'] ?? 'default')
      if (account !== 'default') {
        const created = kubernetes.create(accounts, object('v1', 'ServiceAccount', { name: account, namespace }))
        await created.catch((error: unknown) => {
          if (!(error instanceof KubernetesError) || error.kind !== 'already-exists') throw error
        })
      }
      await kubernetes.create(pods, pod as unknown as KubeObject, strictly)
    }
    expect(documentsOf(shape).length).toBeGreaterThan(0)
  })
}

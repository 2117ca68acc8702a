// The cells of `kubectl get jobs`, and the warning of a DELETE without a propagation policy.
import { jsonBody, noBody } from '@dayfly/kit/http'
import { expect, test } from 'vitest'
import { containerOf, openPodStage } from '../../pod-stage.fixture.ts'
import type { StoredObject } from '../../store/object.ts'
import { jobPrinter } from './job-printer.ts'

const now = Date.parse('2026-01-01T01:00:00Z')

const container = (name: string, image: string) => ({ name, image })
const job = (status: object, spec: object = {}, metadata: object = {}): StoredObject => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: 'x', uid: 'u', resourceVersion: '7', creationTimestamp: '2026-01-01T00:00:00Z', ...metadata },
  spec: {
    parallelism: 1,
    completions: 1,
    selector: { matchLabels: { b: '2', a: '1' } },
    template: { spec: { containers: [container('main', 'busybox'), container('docker', 'docker:dind')] } },
    ...spec,
  },
  status,
})

const startTime = '2026-01-01T00:58:00Z'
const is = (...types: string[]) => ({ conditions: types.map((type) => ({ type, status: 'True' })) })
const wide = ['main,docker', 'busybox,docker:dind', 'a=1,b=2']

test.each([
  ['not processed yet', job({}), ['Running', '0/1', '']],
  ['running', job({ startTime }), ['Running', '0/1', '2m']],
  [
    'complete',
    job({ startTime, completionTime: '2026-01-01T00:58:07Z', succeeded: 1, ...is('SuccessCriteriaMet', 'Complete') }),
    ['Complete', '1/1', '7s'],
  ],
  [
    'failed, with a duration that continues',
    job({ startTime, ...is('FailureTarget', 'Failed') }),
    ['Failed', '0/1', '2m'],
  ],
  ['failing, with pods that still run', job({ startTime, ...is('FailureTarget') }), ['FailureTarget', '0/1', '2m']],
  ['suspended', job(is('Suspended')), ['Suspended', '0/1', '']],
  ['deleted', job({}, {}, { deletionTimestamp: startTime }), ['Terminating', '0/1', '']],
  ['a work queue', job({ succeeded: 2 }, { completions: undefined, parallelism: 3 }), ['Running', '2/1 of 3', '']],
  ['a work queue of one', job({}, { completions: undefined }), ['Running', '0/1', '']],
])('%s', (_, shown, cells) => {
  expect(jobPrinter.cells(shown, now)).toEqual(['x', ...cells, '60m', ...wide])
})

test('a DELETE of a Job without a propagation policy returns a warning', async () => {
  const { cluster } = openPodStage()
  const transport = cluster.transport('tester')
  const path = '/apis/batch/v1/namespaces/default/jobs'
  const send = async (method: 'POST' | 'DELETE', at: string, body?: object) => {
    const content = body ? jsonBody(body) : noBody
    return await transport({ method, path: at, query: {}, headers: {}, body: content, expect: 'whole' })
  }
  const template = { spec: { restartPolicy: 'Never', containers: [containerOf('main')] } }
  const warnings = []
  for (const options of [undefined, {}, { propagationPolicy: 'Background' }, { propagationPolicy: 'Orphan' }]) {
    await send('POST', path, { metadata: { name: 'j' }, spec: { template } })
    warnings.push((await send('DELETE', `${path}/j`, options)).headers['warning'])
    const stored = cluster.registry.get('jobs.batch', 'default', 'j')
    if (stored) cluster.registry.update('jobs.batch', { ...stored, metadata: { ...stored.metadata, finalizers: [] } })
  }
  const text =
    '299 - "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning"'
  expect(warnings).toEqual([text, text, undefined, undefined])
})

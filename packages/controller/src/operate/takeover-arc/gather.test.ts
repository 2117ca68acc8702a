// Every client may annotate a RunnerSet: a note that Dayfly has not written is not read.

import { virtualClock } from '@dayfly/kit/virtual-clock'
import type { Kubernetes } from '@dayfly/kubernetes/kubernetes'
import { expect, test } from 'vitest'
import { gatherArc, noteAnnotation } from './gather.ts'

const good = { arc: { namespace: 'ci', name: 'linux' }, scaleSetId: '7' }

test.each([
  [JSON.stringify(good), 1],
  [JSON.stringify({ ...good, release: 'linux' }), 1],
  ['', 0],
  ['{', 0],
  ['[]', 0],
  ['null', 0],
  [JSON.stringify({ ...good, scaleSetId: 7 }), 0],
  [JSON.stringify({ ...good, arc: {} }), 0],
])('reads %s as %i takeovers', async (note, count) => {
  const metadata = { name: 'linux', namespace: 'ci', annotations: { [noteAnnotation]: note } }
  const list = async ({ plural }: { readonly plural: string }) => ({
    items: plural === 'runnersets' ? [{ apiVersion: 'dayfly.dev/v1alpha1', kind: 'RunnerSet', metadata }] : [],
  })
  const cluster = { kubernetes: { list } as unknown as Kubernetes, clock: virtualClock() }
  expect((await gatherArc(cluster, undefined, [])).taking).toHaveLength(count)
})

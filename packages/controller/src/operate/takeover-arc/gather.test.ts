// Every client may annotate a RunnerSet: a note that Dayfly has not written is not read. A name that nothing has or had is unknown.

import { virtualClock } from '@dayfly/kit/virtual-clock'
import type { Kubernetes } from '@dayfly/kubernetes/kubernetes'
import { expect, test } from 'vitest'
import { doneAnnotation, gatherArc, noteAnnotation } from './gather.ts'

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

test.each([
  ['a set of ARC', ['linux'], []],
  ['a set of a takeover under way', ['begun'], []],
  ['a set that is taken over', ['done'], []],
  ['a set of another namespace', ['far'], ['far']],
  ['nothing', ['linus', 'linux'], ['linus']],
])('knows %s', async (_, names, unknown) => {
  const arc = { namespace: 'ci', name: 'begun' }
  const own = [
    { [noteAnnotation]: JSON.stringify({ ...good, arc }) },
    { [doneAnnotation]: 'ci/done' },
    { [doneAnnotation]: 'elsewhere/far' },
    { [doneAnnotation]: 'no place' },
  ].map((annotations, index) => ({ metadata: { name: `set-${index}`, namespace: 'ci', annotations } }))
  const list = async ({ plural }: { readonly plural: string }) => {
    if (plural === 'runnersets') return { items: own }
    return {
      items: plural === 'autoscalingrunnersets' ? [{ metadata: { name: 'linux', namespace: 'ci', uid: '1' } }] : [],
    }
  }
  const cluster = { kubernetes: { list } as unknown as Kubernetes, clock: virtualClock() }
  expect(await gatherArc(cluster, 'ci', names)).toMatchObject({ unknown, existing: ['begun', 'linux'] })
})

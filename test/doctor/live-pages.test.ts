// An examination reads a list page by page, and starts the list again if the server has forgotten the position.
import { openDoctorCluster } from '@dayfly/doctor/live/doctor-cluster.fixture'
import { gatherLive } from '@dayfly/doctor/live/gather'
import type { Request } from '@dayfly/kit/http'
import { expect, test } from 'vitest'

const expired = {
  kind: 'Status',
  status: 'Failure',
  reason: 'Expired',
  code: 410,
  message: 'The provided continue parameter is too old to display a consistent list result.',
}
const pod = (name: string) => ({
  metadata: { name, namespace: 'runners' },
  spec: { containers: [{ name: 'work', image: 'busybox:1' }] },
})

test('reads an expired list again from the beginning: no object twice, and none that is gone', async () => {
  let isForgotten = false
  const cluster = openDoctorCluster((request) => {
    if (!isPodPage(request) || !request.query['continue'] || isForgotten) return undefined
    isForgotten = true
    cluster.registry.delete('pods', 'runners', 'p0000', { gracePeriodSeconds: 0 })
    cluster.registry.create('pods', pod('p9999'))
    return { status: 410, headers: {}, body: { kind: 'json', value: expired } }
  })
  for (let index = 0; index < 1200; index++) {
    cluster.registry.create('pods', pod(`p${String(index).padStart(4, '0')}`))
  }
  const { pods, live } = await gatherLive(cluster)
  const names = pods.map(({ object }) => object.name)
  expect(live.unreadable).toEqual({})
  expect([names.length, new Set(names).size, names[0], names.at(-1)]).toEqual([1200, 1200, 'p0001', 'p9999'])
  const pages = cluster.requests.filter(isPodPage)
  expect(pages.map(({ query }) => query['limit'])).toEqual(Array(5).fill('500'))
  expect(pages.map(({ query }) => query['continue'] !== undefined)).toEqual([false, true, false, true, true])
})

function isPodPage({ method, path }: Request): boolean {
  return method === 'GET' && path === '/api/v1/pods'
}

// Hostile requests against a whole cluster. It must answer them, go on, and keep only whole objects.
// `npm run fuzz` sends more of them.
import { isFull } from '@dayfly/kit/full.fixture'
import { expect, test } from 'vitest'
import { runFuzz } from './fuzz-run.fixture.ts'

const [requests, seed] = isFull ? [3_000, 1] : [1_000, 2]

test(`no request of ${requests} crashes the cluster, holds it up, or leaves a broken object`, async () => {
  const { problems, statuses, slowest } = await runFuzz({ requests, seed })
  expect(problems.slice(0, 8).join('\n\n')).toBe('')
  // `npm run fuzz` demands one second. A loaded machine needs longer, but without its bound a request takes minutes.
  expect(slowest.cpuMs, slowest.request).toBeLessThan(15_000)
  // A fuzz whose requests are all refused at the door proves little.
  const share = (status: number) => (statuses.get(status) ?? 0) / requests
  expect(share(200) + share(201)).toBeGreaterThan(0.15)
  expect(share(422)).toBeGreaterThan(0.05)
}, 300_000)

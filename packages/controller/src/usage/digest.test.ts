import { expect, test } from 'vitest'
import { type Digest, digestStatus, emptyDigest, jobsIn, rangeAt, readDigest, withJob } from './digest.ts'

const job = (seconds: number, milliCpu?: number, memoryMiB?: number) => ({ seconds, milliCpu, memoryMiB })
const of = (count: number, usage: ReturnType<typeof job>, digest: Digest = emptyDigest) =>
  Array.from({ length: count }).reduce<Digest>((sum) => withJob(sum, usage), digest)

test('a share of the jobs is found in a range around its value', () => {
  const digest = of(95, job(60, 600), of(5, job(3_600, 3_900)))
  expect(rangeAt(digest.milliCpu, 'milliCpu', 0.95)).toEqual({ above: 576, upTo: 663 })
  expect(rangeAt(digest.seconds, 'seconds', 1)?.upTo).toBeGreaterThanOrEqual(3_600)
})

test('a job without a measurement counts its time alone', () => {
  const digest = of(3, job(60))
  expect([digest.seconds, digest.milliCpu, digest.memoryMiB].map(jobsIn)).toEqual([3, 0, 0])
  expect(rangeAt(digest.milliCpu, 'milliCpu', 0.95)).toBeUndefined()
})

test('a job that used more than the last bound is in the last one', () => {
  expect(rangeAt(of(1, job(1e12)).seconds, 'seconds', 1)?.upTo).toBeGreaterThan(30 * 86_400)
})

test('jobs of the past fade', () => {
  const large = of(10, job(60, 8_000, 8_000))
  expect(rangeAt(of(3_000, job(60, 100, 100), large).memoryMiB, 'memoryMiB', 1)?.upTo).toBeGreaterThan(7_000)
  const later = of(5_000, job(60, 100, 100), large)
  expect(rangeAt(later.memoryMiB, 'memoryMiB', 1)?.upTo).toBeLessThan(200)
  expect(jobsIn(later.seconds)).toBeLessThanOrEqual(1_000)
})

test('a stored digest is read as it was', () => {
  const digest = of(2_000, job(60, 250, 300), of(5, job(7_200, 4_000)))
  expect(readDigest(JSON.parse(JSON.stringify(digestStatus(digest))))).toEqual(digest)
})

test.each([
  undefined,
  null,
  'much',
  { milliCpu: 7, memoryMiB: {}, seconds: null },
  { milliCpu: [null, 'x', { upTo: 11, jobs: 1 }, { upTo: 10, jobs: -1 }, { upTo: 10, jobs: 1e9 }, { upTo: '10' }] },
])('the garbled digest %j counts as none', (stored) => {
  expect(readDigest(stored)).toEqual(emptyDigest)
})

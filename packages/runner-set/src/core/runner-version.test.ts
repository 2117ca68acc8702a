// The verdict on a version of the runner, by the clock and by what the forge says.
import { describe, expect, it } from 'vitest'
import type { RunnerVersion } from '../model/runner-version.ts'
import { versionedImage } from './runner-image.ts'
import {
  endOf,
  judgeVersion,
  storedVersion,
  verdictChangesAt,
  versionFailure,
  versionStatus,
  versionText,
} from './runner-version.ts'
import { limits, now, runnerSet } from './world.fixture.ts'

const day = 24 * 3_600_000
const known = (over: Partial<RunnerVersion> = {}): RunnerVersion => ({
  ...{ version: '2.330.0', from: 'runner', schedule: undefined, minimum: undefined },
  ...over,
})
const ends = (runtime?: number, registration?: number) =>
  known({
    schedule: {
      runtimeEndsAt: runtime === undefined ? undefined : now + runtime * day,
      registrationEndsAt: registration === undefined ? undefined : now + registration * day,
    },
  })

describe('the verdict', () => {
  it.each<[string, RunnerVersion | undefined, string, string | undefined]>([
    ['no version is known', undefined, 'unknown', undefined],
    ['the forge says nothing', known(), 'unscheduled', undefined],
    ['no end is planned', ends(), 'supported', undefined],
    ['the end is far', ends(14.01), 'supported', undefined],
    ['14 days are left', ends(14), 'ends-soon', 'runner-version-ends'],
    ['8 days are left', ends(7.01), 'ends-soon', 'runner-version-ends'],
    ['7 days are left', ends(7), 'ends-now', 'runner-version-ends'],
    ['the end is now', ends(0), 'ended', 'runner-outdated'],
    ['the end is past', ends(-90), 'ended', 'runner-outdated'],
    ['registrations end before jobs', ends(30, 3), 'ends-now', 'runner-version-ends'],
    ['registrations have ended', ends(30, -1), 'ended', 'runner-outdated'],
    ['jobs end before registrations', ends(3, 30), 'ends-now', 'runner-version-ends'],
    ['only registrations end', ends(undefined, 3), 'ends-now', 'runner-version-ends'],
    ['it is lower than the minimum', known({ minimum: '2.330.1' }), 'below-minimum', 'runner-outdated'],
    [
      'it is lower by fewer digits',
      known({ version: '2.99.0', minimum: '2.329.0' }),
      'below-minimum',
      'runner-outdated',
    ],
    ['it has a part that is no number', known({ version: '1.x.0', minimum: '2.330.0' }), 'unscheduled', undefined],
    ['it is the minimum', known({ minimum: '2.330.0' }), 'unscheduled', undefined],
    ['it is higher in an earlier part', known({ version: '3.0.0', minimum: '2.329.0' }), 'unscheduled', undefined],
    ['it has fewer parts', known({ version: '2.330', minimum: '2.330.1' }), 'below-minimum', 'runner-outdated'],
    ['it is the minimum with fewer parts', known({ version: '2.330.0', minimum: '2.330' }), 'unscheduled', undefined],
    ['its minimum has fewer parts', known({ version: '2.330.1', minimum: '2.330' }), 'unscheduled', undefined],
    [
      'it is lower in its first part',
      known({ version: '1.999.0', minimum: '2.0.0' }),
      'below-minimum',
      'runner-outdated',
    ],
    ['a part of it is no number', known({ version: '2.1-beta', minimum: '2.329.0' }), 'unscheduled', undefined],
    ['it is no number', known({ version: 'nightly', minimum: '2.329.0' }), 'unscheduled', undefined],
  ])('%s', (_title, version, is, reason) => {
    const verdict = judgeVersion(version, limits, now)
    expect(verdict.is).toBe(is)
    expect(versionFailure(version, verdict)?.reason).toBe(reason)
  })

  it('names the version, its source, the time and the effect', () => {
    const text = (version: RunnerVersion) => versionFailure(version, judgeVersion(version, limits, now))?.message
    expect(text(ends(3))).toBe(
      'the forge ends version 2.330.0 (from the newest runner) at 2027-01-18T08:00:00Z: it gets no jobs then.',
    )
    expect(text({ ...ends(30, -1), from: 'image' })).toBe(
      'the forge ended version 2.330.0 (from the tag of the image) at 2027-01-14T08:00:00Z: it cannot register.',
    )
  })

  it.each([
    [undefined, /is not known/],
    [known(), /does not say when it ends/],
    [ends(30), /ends it at 2027-02-14/],
    [known({ schedule: { runtimeEndsAt: undefined, registrationEndsAt: undefined } }), /has planned no end/],
  ])('says what is known of %o', (version, text) => {
    expect(versionText(version, judgeVersion(version, limits, now))).toMatch(text)
  })

  it('names the end of jobs if both times are the same', () => {
    expect(endOf({ runtimeEndsAt: now, registrationEndsAt: now })).toEqual({ at: now, ends: 'jobs' })
  })

  it('changes 14 days before the end, 7 days before it, and then', () => {
    const version = ends(20)
    const steps = [6, 13, 20].map((days) => now + days * day)
    const found = [now, ...steps].map((at) => verdictChangesAt(version, limits, at))
    expect(found).toEqual([...steps, undefined])
    expect(verdictChangesAt(known(), limits, now)).toBeUndefined()
  })
})

describe('the version that an image names', () => {
  it.each<[string, string | undefined]>([
    ['ghcr.io/actions/actions-runner:2.330.0', '2.330.0'],
    ['actions-runner:2.330.0', '2.330.0'],
    ['harbor.corp:5000/mirror/actions/actions-runner:2.330.0', '2.330.0'],
    ['summerwind/actions-runner:v2.311.0-ubuntu-22.04', '2.311.0'],
    ['ghcr.io/actions/actions-runner:latest', undefined],
    ['ghcr.io/actions/actions-runner', undefined],
    ['ghcr.io/actions/actions-runner@sha256:c02e8e1b479ea39b', undefined],
    ['ghcr.io/actions/actions-runner:2.322.0@sha256:c02e8e1b479ea39b', undefined],
    ['registry.corp:2330/ci/runner:2.330.0', undefined],
    ['ghcr.io/acme/actions-runner:1.4.2', undefined],
    ['ghcr.io/acme/actions-runner:2.1.0', undefined],
    ['ghcr.io/acme/actions-runner:2026-11-01', undefined],
    ['ghcr.io/acme/my-actions-runner:2.330.0', undefined],
  ])('%s: %s', (image, version) => {
    const template = {
      spec: {
        containers: [
          { name: 'sidecar', image: 'x' },
          { name: 'runner', image },
        ],
      },
    }
    expect(versionedImage(runnerSet({ template }))).toEqual({ image, version })
  })

  it('is unknown for the image of the forge, and for a forge without such versions', () => {
    expect(versionedImage(runnerSet())?.version).toBeUndefined()
    const gitea = runnerSet({ source: { ...runnerSet().source, kind: 'gitea' } })
    expect(versionedImage(gitea)).toBeUndefined()
  })
})

it.each([undefined, known(), ends(3), ends(3, 5), known({ minimum: '2.329.0' })])(
  'survives a restart: %o',
  (version) => {
    const set = runnerSet()
    const stored = versionStatus(set, version)
    expect(storedVersion(set, stored)).toEqual(version)
    const template = { spec: { containers: [{ name: 'runner', image: 'other' }] } }
    expect(storedVersion(runnerSet({ template }), stored)).toBeUndefined()
  },
)

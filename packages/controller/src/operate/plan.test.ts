// The sentences of a plan say what the core decided, and nothing that they judged themselves.
import { fold } from '@dayfly/runner-set/core/state/fold'
import { newSetState } from '@dayfly/runner-set/core/state/set-state'
import { limits, now, podFacts, runnerSet } from '@dayfly/runner-set/core/world.fixture'
import type { Demand } from '@dayfly/runner-set/model/demand'
import type { Input } from '@dayfly/runner-set/model/input'
import type { PodFacts } from '@dayfly/runner-set/model/runner'
import type { RunnerSet } from '@dayfly/runner-set/model/runner-set'
import { expect, it } from 'vitest'
import { planOf } from './plan.ts'
import { viewSet } from './set-view.ts'

const accepted = { type: 'TemplateAccepted', status: 'True', reason: 'Accepted', message: '', observedGeneration: 1 }
const seconds = 1_000

type Given = {
  readonly set?: RunnerSet
  readonly demand?: Demand
  readonly pods?: Readonly<Record<string, Partial<PodFacts>>>
  readonly status?: object
  /** Runners with a job. */
  readonly busy?: readonly string[]
  readonly departedAt?: number
}

function sentences(given: Given): readonly string[] {
  const { set = runnerSet(), demand, pods = {}, status = {}, busy = [] } = given
  const state = newSetState(set)
  const take = (input: Input, at = now) => fold(state, input, limits, at)
  for (const [name, facts] of Object.entries(pods)) {
    if (facts.end) take({ kind: 'pod-seen', name, pod: podFacts(facts) }, given.departedAt ?? now)
  }
  const facts = new Map(Object.entries(pods).map(([name, one]) => [name, podFacts(one)]))
  take({ kind: 'pods-listed', pods: facts, askedAt: now })
  for (const runner of facts.keys()) {
    take({ kind: 'outcome', outcome: { action: 'look-up-secret', runner, result: { is: 'present' } } })
  }
  for (const runner of busy) {
    const job = { id: runner, name: 'test', repository: 'acme/app' }
    take({ kind: 'forge-event', event: { kind: 'job-started', runner, job, at: now, queuedAt: undefined } })
  }
  if (demand) take({ kind: 'forge-event', event: { kind: 'demand', demand, at: now } }, now - limits.quietMs)
  state.forge.quietSince = now - limits.quietMs
  const metadata = { name: set.name, namespace: set.namespace, uid: set.uid, generation: 1, resourceVersion: '1' }
  const view = viewSet({
    apiVersion: 'dayfly.dev/v1alpha1',
    kind: 'RunnerSet',
    metadata,
    spec: {},
    status: { conditions: [accepted], ...status },
  })
  const reading = demand
    ? ({ known: true, value: { demand, from: 'forge', at: undefined } } as const)
    : ({ known: false, why: 'No controller leads.' } as const)
  const plan = planOf({ view, set, work: { is: 'working' }, pods: [], demand: reading, state, mates: [] }, limits, now)
  return plan.steps.map(({ sentence }) => sentence)
}

const jobs = (count: number): Demand => ({ kind: 'assigned', jobs: count })
const upTo = (max: number) => runnerSet({ scale: { min: 0, max } })
const started = { startedAt: now - 50 * seconds }
const old = { ...started, createdAt: now - 90 * seconds }
const ended = { ...started, end: { exitCode: 0, reason: 'Completed', at: now - 60 * seconds } }

it.each<[string, Given, readonly (string | RegExp)[]]>([
  ['starts', { demand: jobs(3) }, ['Starts 3 runners: 3 wanted, 0 live.']],
  ['nothing', { demand: jobs(0) }, ['Does nothing: the set has the runners that it needs.']],
  [
    'a bound of max',
    { set: upTo(1), demand: jobs(3), pods: { a: { ...started, deletionDeadline: now + 9 * seconds } } },
    ['Does not start 1 runner now: max is 1, and 1 pod exists.', /^Waits until 1 pod under deletion/],
  ],
  [
    'a bound of one tick',
    { set: upTo(200), demand: jobs(103) },
    ['Starts 100 runners: 103 wanted, 0 live.', 'Does not start 3 more now: it starts at most 100 at once.'],
  ],
  [
    'the start of a replacement',
    { set: runnerSet({ scale: { min: 1, max: 3 }, idleMaxMs: 60 * seconds }), demand: jobs(0), pods: { a: old } },
    ['Starts 1 runner: 2 wanted, 1 live.', 'Replaces 1 outdated runner: one ends when its replacement is online.'],
  ],
  [
    'a replacement that may not be online yet',
    {
      set: runnerSet({ scale: { min: 1, max: 3 }, idleMaxMs: 60 * seconds }),
      demand: jobs(0),
      pods: { a: old, b: { ...started, createdAt: now - 50 * seconds } },
    },
    ['Replaces 1 outdated runner: one ends when its replacement is online.'],
  ],
  [
    'a surplus',
    { demand: jobs(1), pods: { a: started, b: started }, busy: ['a'] },
    [/^Has 1 runner too many\./, /^Asks the forge to remove the registration of b \(it is not needed\)/],
  ],
  ['a pause', { set: runnerSet({ paused: true }) }, ['Starts nothing: the set is paused (dayfly drain --resume).']],
  ['an unknown demand', {}, ['Starts and ends nothing: the demand is not known. No controller leads.']],
  [
    'an ended runner whose job the demand may count',
    { demand: jobs(1), pods: { a: ended }, departedAt: now },
    [
      'Starts none for 1 runner that ended: the demand may still count the job of each.',
      /^Deletes the pod of a/,
      /^Keeps 1 ended pod/,
    ],
  ],
  [
    'an ended runner and a newer demand',
    { demand: jobs(1), pods: { a: ended }, departedAt: now - 60 * seconds },
    ['Starts 1 runner: 1 wanted, 0 live.', /^Deletes the pod of a/, /^Keeps 1 ended pod/],
  ],
  [
    'a check of the template',
    { demand: jobs(2), status: { conditions: [] } },
    ['Does not start 2 runners now: it checks the template first.', 'Checks the template with a dry run.'],
  ],
  [
    'a refused template',
    {
      demand: jobs(2),
      status: {
        conditions: [{ ...accepted, status: 'False', reason: 'QuotaExceeded' }],
        problems: [{ kind: 'template', reason: 'quota-exceeded', detail: 'pods: 10' }],
      },
    },
    [
      'Does not start 2 runners now: quota-exceeded: The resource quota of the namespace is used up. pods: 10 Next: Raise the quota, lower max of the set, or wait until other pods end.',
    ],
  ],
  [
    'a failure that no runner can avoid',
    { demand: jobs(2), status: { problems: [{ kind: 'blocked', reason: 'image-invalid', detail: 'UPPER' }] } },
    [
      'Does not start 2 runners now: image-invalid: The image name is not valid. UPPER Next: Correct the image reference.',
    ],
  ],
  [
    'several failed starts',
    { demand: jobs(2), status: { failed: 3, lastReason: 'image-missing', lastMessage: 'no such image' } },
    [
      /^Starts 1 runner when the wait after 3 failed starts is over \(at most 8 s\): 2 wanted, 0 live\.$/,
      'Does not start 1 more now: 3 starts in a row failed, so one runner at a time tries.',
    ],
  ],
])('%s', (_name, given, expected) => {
  const found = sentences(given)
  expect(found).toHaveLength(expected.length)
  for (const [at, sentence] of expected.entries()) {
    if (typeof sentence === 'string') expect(found[at]).toBe(sentence)
    else expect(found[at]).toMatch(sentence)
  }
})

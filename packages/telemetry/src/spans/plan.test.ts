// The spans of lives, as plain values.
import type { JournalEvent } from '@dayfly/runner-set/model/event'
import type { Failure } from '@dayfly/runner-set/model/failure'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { attribute } from '../attributes.ts'
import { follow, type RunnerEvent } from '../lives/follow.ts'
import type { Life } from '../lives/life.ts'
import { goodLife, job, of } from '../one-life.fixture.ts'
import { planOf, type TracePlan } from './plan.ts'

const start = 1_767_225_600_000
type Events = readonly (readonly [ms: number, event: JournalEvent])[]
const failure: Failure = { reason: 'image-missing', message: 'text from outside' }

function plan(events: Events): TracePlan | undefined {
  const life: Life = { ...of, steps: {}, jobs: [], problems: [] }
  for (const [ms, event] of events) follow(life, event as RunnerEvent, start + ms)
  return planOf(life, 'https://github.example/acme')
}

const without = (...kinds: readonly JournalEvent['kind'][]) => goodLife.filter(([, { kind }]) => !kinds.includes(kind))
const shown = (events: Events) =>
  plan(events)?.children.map(
    ({ name, startAt, endAt, attributes }) =>
      `${name} ${startAt - start}-${endAt - start} ${attributes[attribute.taskResult]}`,
  )

describe('a good life', () => {
  it('has a span for each phase', () => {
    expect(shown(goodLife)).toEqual([
      'queued -1000-7000 success',
      'register 0-400 success',
      'create pod 400-600 success',
      'start 600-4000 success',
      'connect 4000-5000 success',
      'wait for job 5000-7000 success',
      'job 7000-47000 success',
      'end 47000-49000 success',
    ])
  })

  it('has a root with everything that is known', () => {
    expect(plan(goodLife)?.root).toEqual({
      name: 'RUN ci.yml',
      startAt: start - 1_000,
      endAt: start + 49_000,
      error: undefined,
      events: [],
      attributes: {
        'k8s.namespace.name': 'ci',
        'dayfly.set': 'linux',
        'cicd.worker.name': 'linux-abc',
        'cicd.worker.id': '17',
        'cicd.pipeline.action.name': 'RUN',
        'cicd.pipeline.name': 'ci.yml',
        'cicd.pipeline.run.id': '555',
        'cicd.pipeline.result': 'success',
        'vcs.repository.name': 'acme/web',
        'vcs.repository.url.full': 'https://github.example/acme/web',
        'vcs.ref.head.name': 'main',
        'k8s.pod.name': 'linux-abc',
        'k8s.pod.uid': 'uid-1',
        'k8s.node.name': 'node-1',
      },
    })
  })

  it('names the job by the forge', () => {
    const span = plan(goodLife)?.children.find(({ name }) => name === 'job')
    expect(span?.attributes).toMatchObject({ [attribute.task]: 'build', [attribute.taskRun]: '99' })
  })
})

describe('a life of which something is unknown', () => {
  it.each<[string, Events, string[], string[]]>([
    ['no registration', without('runner-registered'), ['register', 'create pod'], ['start']],
    ['no pod created', without('pod-created'), ['create pod', 'start'], ['register', 'connect']],
    ['never listed as online', without('runner-online'), ['connect'], ['wait for job']],
    ['no start of the job', without('job-started'), ['queued', 'wait for job', 'job'], ['connect', 'end']],
    ['a job that never ended', without('job-finished'), [], ['job', 'end']],
  ])('%s', (_title, events, absent, present) => {
    const names = plan(events)?.children.map(({ name }) => name)
    for (const name of absent) expect(names).not.toContain(name)
    for (const name of present) expect(names).toContain(name)
  })

  it('ends a job without a reported end with its container, and does not call it a success', () => {
    expect(shown(without('job-finished'))).toContain('job 7000-48000 unknown')
  })

  it('has the name of the set without a workflow', () => {
    const plain = { id: job.id, name: job.name, repository: '' }
    const events = goodLife.map(([ms, event]) => [ms, event.kind === 'job-started' ? { ...event, job: plain } : event])
    const root = plan(events as unknown as Events)?.root
    expect(root).toMatchObject({ name: 'RUN linux', attributes: { [attribute.pipeline]: 'linux' } })
    expect(root?.attributes[attribute.repositoryUrl]).toBeUndefined()
  })

  it('has no trace if only its end is known', () => {
    expect(plan([[0, { ...of, kind: 'runner-gone', because: 'removed' }]])).toBeUndefined()
  })
})

describe('a life that fails', () => {
  it('shows a refused start, of which the journal says first that the runner is gone', () => {
    const trace = plan([
      [0, { ...of, kind: 'runner-gone', because: 'removed' }],
      [0, { ...of, kind: 'start-refused', failure, requestedMs: 250 }],
    ])
    expect(trace?.children.map(({ name, error }) => [name, error !== undefined])).toEqual([
      ['register', true],
      ['end', false],
    ])
    expect(trace?.root).toMatchObject({
      startAt: start - 250,
      attributes: { [attribute.result]: 'error', [attribute.error]: 'image-missing' },
      events: [{ name: 'dayfly.failure', attributes: { [attribute.reason]: 'image-missing' } }],
    })
    expect(trace?.root.error).toMatch(/\.$/)
    expect(trace?.root.error).toBe(trace?.root.events[0]?.attributes[attribute.sentence])
  })

  it('ends the start with the failure', () => {
    const events: Events = [
      ...goodLife.slice(0, 2),
      [9_000, { ...of, kind: 'runner-delayed', failure, since: start }],
      [60_000, { ...of, kind: 'runner-failed', failure }],
      [61_000, { ...of, kind: 'runner-gone', because: 'removed' }],
    ]
    expect(shown(events)?.slice(2)).toEqual(['start 600-60000 error', 'end 60000-61000 success'])
    expect(plan(events)?.root.events.map(({ name }) => name)).toEqual(['dayfly.delay', 'dayfly.failure'])
  })

  it('is an error for a job that failed, with the result as its type', () => {
    const events = goodLife.map(([ms, event]) => [
      ms,
      event.kind === 'job-finished' ? { ...event, result: 'failed' } : event,
    ])
    const trace = plan(events as unknown as Events)
    expect(trace?.root).toMatchObject({ attributes: { [attribute.error]: 'failure' } })
    expect(trace?.children.filter(({ error }) => error).map(({ name }) => name)).toEqual(['job'])
  })

  it('shows a doubtful success in the status of the root', () => {
    const doubt: JournalEvent = { ...of, kind: 'job-doubtful', job: job.id, failure }
    const trace = plan([...goodLife, [49_500, doubt]])
    expect(trace?.root).toMatchObject({
      attributes: { [attribute.result]: 'success', [attribute.error]: 'image-missing' },
    })
    expect(trace?.root.error).toBeDefined()
  })

  it('skips a runner that had no job', () => {
    const trace = plan(without('job-started', 'job-finished'))
    expect(trace?.root.attributes[attribute.result]).toBe('skip')
    expect(trace?.children.map(({ name }) => name)).toContain('wait for job')
  })
})

const names = new Set<string>(Object.values(attribute))
const texts = fc.string({ maxLength: 400 })
const anyJob = fc.record(
  { id: fc.constantFrom('1', '2'), name: texts, repository: texts },
  { requiredKeys: ['id', 'name', 'repository'] },
)
const maybeMs = fc.option(fc.integer({ min: -5_000, max: 100_000 }), { nil: undefined })
const anyEvent: fc.Arbitrary<JournalEvent> = fc.oneof(
  ...goodLife.map(([, event]) => fc.constant(event)),
  fc.record({ ...constants(of), kind: fc.constant('job-started' as const), job: anyJob, queuedMs: maybeMs }),
  fc.record({
    ...constants(of),
    kind: fc.constant('runner-registered' as const),
    registration: texts,
    requestedMs: maybeMs,
  }),
  fc.record({
    ...constants(of),
    kind: fc.constant('job-finished' as const),
    job: fc.constantFrom('1', '2', '3'),
    result: texts,
  }),
  fc.record({
    ...constants(of),
    kind: fc.constantFrom('runner-failed' as const, 'start-refused' as const),
    failure: fc.constant(failure),
  }),
)

function constants<T extends Record<string, string>>(values: T) {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, fc.constant(value)])) as {
    [Key in keyof T]: fc.Arbitrary<T[Key]>
  }
}

it('has no negative durations, no span outside its root and no other attributes, in any order of events', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.integer({ min: 0, max: 90_000 }), anyEvent), { maxLength: 14 }), (events) => {
      const trace = plan(events)
      if (!trace) return
      const { root, children } = trace
      expect(root.endAt).toBeGreaterThanOrEqual(root.startAt)
      for (const { startAt, endAt } of children) {
        expect(endAt).toBeGreaterThanOrEqual(startAt)
        expect(startAt).toBeGreaterThanOrEqual(root.startAt)
        expect(endAt).toBeLessThanOrEqual(root.endAt)
      }
      for (const { attributes, events: ofSpan } of [root, ...children]) {
        for (const each of [attributes, ...ofSpan.map((event) => event.attributes)]) {
          for (const [name, value] of Object.entries(each)) {
            expect(names).toContain(name)
            expect(value.length).toBeLessThanOrEqual(256)
          }
        }
      }
    }),
  )
})

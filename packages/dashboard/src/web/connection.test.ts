import { virtualClock } from '@dayfly/kit/virtual-clock'
import { describe, expect, it } from 'vitest'
import { follow, type Problem, type Sink } from './connection.ts'
import { createSample } from './sample.fixture.ts'

const begin = 1_767_225_600_000
const sample = createSample({ sets: 1, runners: 1, gone: 0, failing: 0, waiting: 0, silent: 0 }, begin)

type Reply = (signal: AbortSignal | undefined) => Response
const json: Reply = () => Response.json({ ...sample.snapshot(begin), version: 5 })
const refusal =
  (status: number, text: string): Reply =>
  () =>
    new Response(text, { status })
const stream =
  (text: string): Reply =>
  () =>
    new Response(text)
/** Sends a text, and then nothing. It ends only with the request. */
const silence =
  (text: string): Reply =>
  (signal) =>
    new Response(
      new ReadableStream<Uint8Array>({
        start(controller) {
          if (text !== '') controller.enqueue(new TextEncoder().encode(text))
          signal?.addEventListener('abort', () => controller.error(signal.reason))
        },
      }),
    )

function session(replies: readonly Reply[]) {
  const clock = virtualClock(begin)
  const asked: string[] = []
  const problems: Problem[] = []
  let version: number | null = null
  const beats: number[] = []
  const stop = new AbortController()
  const sink: Sink = {
    version: () => version,
    snapshot: (snapshot) => {
      version = snapshot.version
    },
    changes: (changes) => {
      version = changes.version
    },
    beat: (at) => void beats.push(at),
    heard: () => {},
    problem: (problem) => void problems.push(problem),
  }
  const ask = async (path: string, signal?: AbortSignal) => {
    asked.push(path)
    const reply = replies[asked.length - 1]
    if (reply !== undefined) return reply(signal)
    stop.abort()
    throw new Error('the test ends')
  }
  const done = follow({ ask, clock }, sink, stop.signal)
  return { clock, asked, problems, beats, done }
}

/** Moves time on until the page has asked so often: a stream needs some turns of the event loop. */
async function until({ clock, asked }: ReturnType<typeof session>, count: number, ms = 500): Promise<void> {
  for (let turn = 0; asked.length < count && turn < 200; turn++) await clock.advance(ms)
}

describe('the connection', () => {
  it('continues after the last version when a stream ends', async () => {
    const changes = 'id: 6\nevent: changes\ndata: {"version":6,"put":{},"gone":{}}\n\nevent: beat\ndata: 77\n\n'
    const one = session([json, stream(changes), stream('')])
    await until(one, 4)
    await one.done
    expect(one.asked).toEqual(['api/snapshot', 'api/changes?after=5', 'api/changes?after=6', 'api/changes?after=6'])
    expect(one.beats).toEqual([77])
    expect(one.problems).toEqual([])
  })

  it('says what the server said, and waits longer after each failure', async () => {
    const ours = JSON.stringify({ error: { sentence: 'The history loads.', next: 'Wait.' } })
    const one = session([refusal(503, ours), refusal(503, ''), json, silence('')])
    await until(one, 1)
    await one.clock.advance(0)
    expect(one.problems).toEqual([{ is: 'unreachable', detail: 'The history loads. Wait.', retryAt: begin + 500 }])
    await until(one, 4)
    expect(one.problems[1]).toMatchObject({ detail: 'The server answered with status 503.', is: 'unreachable' })
    expect(one.asked).toEqual(['api/snapshot', 'api/snapshot', 'api/snapshot', 'api/changes?after=5'])
  })

  it('gives a silent stream up after 45 s', async () => {
    const one = session([json, silence(': hello\n\n'), silence('')])
    await until(one, 2)
    await one.clock.advance(44_000)
    expect(one.asked.length).toBe(2)
    await until(one, 3)
    expect(one.asked).toEqual(['api/snapshot', 'api/changes?after=5', 'api/changes?after=5'])
    expect(one.problems).toMatchObject([{ detail: 'The server has been silent for too long.' }])
  })

  it('ends when the server wants a token', async () => {
    const one = session([json, refusal(401, '')])
    await one.done
    expect(one.problems).toEqual([{ is: 'unauthorized' }])
  })
})

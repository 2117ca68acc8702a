// A message of the forge is deleted only after its events are in the journal: after a crash nothing else brings them back.
import { forgeEventsOf } from '@dayfly/forges/github/session/forge-events'
import { type Message, readEnvelope } from '@dayfly/forges/github/session/messages'
import type { Checker } from './checker.ts'
import { createForgetting } from './forgetting.ts'

/** A message that was deleted may come once more, from an answer that was under way. */
const forgetMs = 10 * 60_000
const one = /\/message\/(\d+)$/

export const messages: Checker = {
  name: 'messages',
  watch: ({ observers, clock }, broken) => {
    // Both by process and message, or by process and job.
    const deleted = createForgetting(clock, forgetMs)
    const received = new Map<string, readonly string[]>()
    const taken = new Set<string>()
    observers.written.add((identity, { event }) => {
      if (event.kind === 'job-started') taken.add(`${identity} ${event.kind} ${event.job.id}`)
      if (event.kind === 'job-finished') taken.add(`${identity} ${event.kind} ${event.job}`)
    })
    observers.answered.add((identity, server, { method, path }, { status, body }) => {
      if (server !== 'forge' || method !== 'GET' || status !== 200 || !path.endsWith('/message')) return
      const envelope = readEnvelope(body)
      if (envelope.is === 'message') received.set(`${identity} ${envelope.message.id}`, eventsOf(envelope.message))
    })
    observers.sent.add((identity, server, { method, path }) => {
      const id = server === 'forge' && method === 'DELETE' ? one.exec(path)?.[1] : undefined
      const events = received.get(`${identity} ${id}`)
      if (!events) return
      deleted.over(() => {
        received.delete(`${identity} ${id}`)
        for (const event of events) taken.delete(`${identity} ${event}`)
      })
      const lost = events.filter((event) => !taken.has(`${identity} ${event}`))
      if (lost.length > 0) broken(`${identity} deletes the message ${id} before it has taken: ${lost.join(', ')}`)
    })
  },
}

function eventsOf(message: Message): readonly string[] {
  return forgeEventsOf(message, 0).flatMap((event) => {
    if (event.kind === 'job-started') return [`job-started ${event.job.id}`]
    return event.kind === 'job-finished' ? [`job-finished ${event.jobId}`] : []
  })
}

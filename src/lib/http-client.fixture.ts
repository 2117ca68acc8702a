// Shared by the tests of the HTTP client: a request, the reading of a stream, and the shape of a failure.
import { expect } from 'vitest'
import type { Body, Request, TransportError } from './http.ts'

export const get = (more: Partial<Request> = {}): Request => ({
  method: 'GET',
  path: '/thing',
  query: {},
  headers: {},
  body: { kind: 'none' },
  expect: 'whole',
  ...more,
})

/** Reads the stream to its end. Returns its items, and the error that ended it, if any. */
export async function drain(body: Body): Promise<{ readonly items: unknown[]; readonly error?: unknown }> {
  const items: unknown[] = []
  try {
    if (body.kind === 'events') for await (const item of body.items) items.push(item)
    else if (body.kind === 'bytes') for await (const chunk of body.chunks) items.push(String(chunk))
    else throw new Error(`no stream, but ${body.kind}`)
    return { items }
  } catch (error) {
    return { items, error }
  }
}

export const failure = (kind: TransportError['kind']) => expect.objectContaining({ name: 'TransportError', kind })

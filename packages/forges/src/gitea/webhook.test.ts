import { createHmac } from 'node:crypto'
import type { Request } from '@dayfly/kit/http'
import { expect, it } from 'vitest'
import { type Delivery, judgeDelivery } from './webhook.ts'

const secret = 's3cret'
const raw = Buffer.from('{"action":"queued"}')
const signature = createHmac('sha256', secret).update(raw).digest('hex')

function delivery(headers: Readonly<Record<string, string>>, body: Request['body']): Request {
  return { method: 'POST', path: '/', query: {}, headers, body, expect: 'whole' }
}

it.each<[string, Readonly<Record<string, string>>, Request['body'], Delivery]>([
  ['of a job', { 'x-gitea-event': 'workflow_job', 'x-gitea-signature': signature }, json(raw), 'hint'],
  ['of a push', { 'x-gitea-event': 'push', 'x-gitea-signature': signature }, json(raw), 'other'],
  ['without a signature', { 'x-gitea-event': 'workflow_job' }, json(raw), 'refused'],
  [
    'with a short signature',
    { 'x-gitea-event': 'workflow_job', 'x-gitea-signature': signature.slice(2) },
    json(raw),
    'refused',
  ],
  ['with the signature of another body', { 'x-gitea-signature': signature }, json(Buffer.from('{}')), 'refused'],
  ['that is no JSON', { 'x-gitea-signature': signature }, { kind: 'text', text: String(raw) }, 'refused'],
])('a delivery %s', (_, headers, body, expected) =>
  expect(judgeDelivery(delivery(headers, body), secret)).toBe(expected),
)

function json(bytes: Buffer): Request['body'] {
  return { kind: 'json', value: JSON.parse(String(bytes)), raw: bytes }
}

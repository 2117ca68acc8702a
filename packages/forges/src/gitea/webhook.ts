// Judges a delivery of Gitea's webhook. It is a hint that a poll would find something new, and never a fact (docs/reference/gitea.md#s3-4).
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Request } from '@dayfly/kit/http'

/** `hint`: jobs have changed. `other`: an event that concerns no job. `refused`: the signature does not fit, so another client may have sent it. */
export type Delivery = 'hint' | 'other' | 'refused'

/** @param secret the secret of the webhook, as the operator gave it to Gitea */
export function judgeDelivery({ headers, body }: Request, secret: string): Delivery {
  const raw = body.kind === 'json' ? body.raw : undefined
  const expected = raw && createHmac('sha256', secret).update(raw).digest()
  const signature = Buffer.from(headers['x-gitea-signature'] ?? '', 'hex')
  const isSigned = expected?.length === signature.length && timingSafeEqual(expected, signature)
  if (!isSigned) return 'refused'
  return headers['x-gitea-event'] === 'workflow_job' ? 'hint' : 'other'
}

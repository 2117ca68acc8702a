// Serves the address for webhooks of Gitea: a signed delivery makes the next poll come at once.
import { readFile } from 'node:fs/promises'
import { CliFailure, codeOf } from '@dayfly/command-line/failure'
import { judgeDelivery } from '@dayfly/forges/gitea/webhook'
import { type Answer, type Request, textAnswer } from '@dayfly/kit/http'
import { type HttpServer, httpServer } from '@dayfly/kit/http-server'
import type { ListenAddress } from './listen-address.ts'

export type WebhookSettings = { readonly address: ListenAddress; readonly secret: string }

/** A delivery has its repository, organization and sender. */
const bytesMax = 2 ** 20

/** Throws a `CliFailure` if it cannot listen. @param onHint called for a delivery about jobs */
export async function serveWebhooks({ address, secret }: WebhookSettings, onHint: () => void): Promise<HttpServer> {
  const handle = async (request: Request): Promise<Answer> => {
    if (request.method !== 'POST') return textAnswer(405, 'only POST is served here\n', { allow: 'POST' })
    const delivery = judgeDelivery(request, secret)
    if (delivery === 'refused') return textAnswer(401, 'the signature does not fit the secret of the webhook\n')
    if (delivery === 'hint') onHint()
    return textAnswer(202, `${delivery}\n`)
  }
  const { host, port } = address
  try {
    return await httpServer(handle, { host, port, bytesMax })
  } catch (cause) {
    throw new CliFailure({
      code: 'webhook-address-unusable',
      sentence: `The server for webhooks cannot listen on ${host}:${port} (${codeOf(cause)}).`,
      next: 'Choose another --webhook-address, or "off".',
      cause,
    })
  }
}

/** Reads the secret from its file. No message repeats it. */
export async function webhookSecret(file: string | undefined): Promise<string> {
  const next = 'Name a file that holds the secret of the webhook with --webhook-secret-file.'
  if (file === undefined) throw failure('--webhook-address needs the secret of the webhook.', next)
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw failure(`The file ${file} cannot be read (${codeOf(cause)}).`, next)
  })
  if (text.trim() !== '') return text.trim()
  throw failure(`The file ${file} is empty.`, next)
}

function failure(sentence: string, next: string): CliFailure {
  return new CliFailure({ code: 'webhook-secret-missing', sentence, next })
}

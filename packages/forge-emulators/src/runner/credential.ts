// Reads GitHub's JIT configuration: base64 of a JSON object whose members are files, each base64 of its JSON (docs/reference/scale-set-protocol.md#s11-1).
import { isJsonObject } from '@dayfly/kit/read-json'

export type RunnerCredential = {
  readonly id: number
  readonly name: string
  /** The base URL of sessions and messages, with a slash at the end. */
  readonly url: string
  /** The bearer token of every request. */
  readonly token: string
  /** The work folder, relative to the runner's directory. */
  readonly workFolder: string
}

/** Returns undefined if the text is not a JIT configuration. It throws no error, so no content can leak. */
export function readCredential(encoded: string): RunnerCredential | undefined {
  const files = decode(encoded)
  const runner = decode(files?.['.runner'])
  const data = decode(files?.['.credentials'])?.['Data']
  const token = isJsonObject(data) ? data['AccessToken'] : undefined
  const { AgentId: id, AgentName: name, ServerUrlV2: url, WorkFolder: workFolder = '_work' } = runner ?? {}
  if (typeof name !== 'string' || typeof url !== 'string' || typeof token !== 'string') return undefined
  if (!URL.canParse(url) || typeof workFolder !== 'string') return undefined
  return { id: Number(id ?? 0), name, url: url.endsWith('/') ? url : `${url}/`, token, workFolder }
}

function decode(encoded: unknown): Readonly<Record<string, unknown>> | undefined {
  if (typeof encoded !== 'string') return undefined
  try {
    const value: unknown = JSON.parse(
      Buffer.from(encoded, 'base64')
        .toString('utf8')
        .replace(/^\uFEFF/, ''),
    )
    return isJsonObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

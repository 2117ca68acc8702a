// The JIT configuration, as GitHub hands it out: base64 of a JSON object whose members are files, each base64 of its JSON.

export type RunnerCredential = {
  readonly id: number
  readonly name: string
  /** Where sessions and messages are, with a slash at the end. */
  readonly url: string
  /** Bearer of every request. */
  readonly token: string
  /** Relative to the directory of the runner. */
  readonly workFolder: string
}

/** Undefined for anything that is not such a configuration. Nothing of its content stands in an error. */
export function readCredential(encoded: string): RunnerCredential | undefined {
  const files = decode(encoded)
  const runner = decode(files?.['.runner'])
  const data = decode(files?.['.credentials'])?.['Data']
  const token = isMapping(data) ? data['AccessToken'] : undefined
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
    return isMapping(value) ? value : undefined
  } catch {
    return undefined
  }
}

function isMapping(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}

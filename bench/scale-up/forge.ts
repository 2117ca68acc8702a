// The emulated GitHub as the benchmark controls it: jobs, and stub runners that connect, start their job and finish it.
import { jsonBody, noBody } from '@dayfly/kit/http'
import { httpClient } from '@dayfly/kit/http-client'
import { startProgram } from './program.ts'

export type BenchForge = {
  readonly url: string
  readonly token: string
  queue(set: string, count: number): Promise<void>
  /** Connects a runner to the forge and starts its job. A runner without a job waits for one, or until the controller removes it. */
  startJob(runner: string): Promise<'started' | 'removed'>
  finishJob(runner: string): Promise<void>
  /** Resolves with the number of registered runners. Those of the plain loop, which removes none, do not count. */
  registrations(): Promise<number>
  close(): Promise<void>
}

/** @param program the bundled emulator */
export async function startForge(program: string, latencyMs: number): Promise<BenchForge> {
  const running = startProgram([program, String(latencyMs)])
  const { url, token } = (await running.next()) as { url: string; token: string }
  const client = httpClient({ origin: url })
  const send = (method: 'GET' | 'POST', path: string, body?: object) => {
    const sent = body === undefined ? noBody : jsonBody(body)
    return client.transport({ method, path, query: {}, headers: {}, body: sent, expect: 'whole' })
  }
  const call = async (method: 'GET' | 'POST', path: string, body?: object) => {
    const answer = await send(method, path, body)
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body.kind === 'json' ? answer.body.value : undefined
  }
  const post = async (path: string, body?: object) => void (await call('POST', `/_emulator${path}`, body))
  return {
    url,
    token,
    queue: (set, count) => post('/jobs', { count, labels: [set] }),
    startJob: async (runner) => {
      await post(`/runners/${runner}/online`)
      for (;;) {
        const { status } = await send('GET', `/_emulator/runners/${runner}/job`)
        if (status === 404) return 'removed'
        if (status === 200) break
      }
      await post(`/runners/${runner}/start`)
      return 'started'
    },
    finishJob: (runner) => post(`/runners/${runner}/finish`),
    registrations: async () => {
      const { runners } = (await call('GET', '/_emulator/state')) as { runners: readonly { readonly name: string }[] }
      return runners.filter(({ name }) => !name.startsWith('loop-')).length
    },
    close: async () => {
      await client.close()
      await running.end()
    },
  }
}

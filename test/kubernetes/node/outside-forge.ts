// An emulated GitHub that pods reach at an address outside their network. Tests make it unreachable, or revoke its credential.
import type { EmulatedApp } from '@dayfly/forge-emulators/github/apps'
import { createGitHubEmulator } from '@dayfly/forge-emulators/github/emulator'
import { httpServer } from '@dayfly/kit/http-server'
import { randomName } from '@dayfly/kit/ids'
import { outsideAddress } from '../../../scripts/node/addresses.ts'
import { clock, random } from '../client-place.ts'

export type OutsideForge = Awaited<ReturnType<typeof openForge>>

/** Starts the forge. @param latencyMs the latency of every request @param apps the GitHub Apps that it knows */
export async function openForge(latencyMs: number, apps: readonly EmulatedApp[] = []) {
  const token = `ghp_${randomName(random, 36)}`
  const knobs = { latencyMs, longPollMs: 10_000 }
  const emulator = createGitHubEmulator({ clock, random, tokens: [token], knobs, apps })
  let server = await httpServer(emulator.handler, { host: outsideAddress })
  const { port, origin } = server
  return {
    url: `${origin}/acme`,
    token,
    control: emulator.control,
    /** Serves the same forge at a loopback address: a command sends its token in clear text to no other. */
    nearby: async () => {
      const near = await httpServer(emulator.handler)
      return { url: `${near.origin}/acme`, close: () => near.close() }
    },
    /** From now on the forge refuses every connection. */
    vanish: () => server.close(),
    /** Ends `vanish`. */
    appear: async () => {
      server = await httpServer(emulator.handler, { host: outsideAddress, port })
    },
    /** From now on the forge refuses every credential, also the tokens that it issued. Returns a function that ends this. */
    revoke: () => {
      const body = { message: 'Bad credentials' }
      const action = { kind: 'answer', status: 401, body } as const
      const id = emulator.control.fault({ match: { pathRegex: '.' }, times: 1_000_000, action })
      return () => emulator.control.removeFault(id)
    },
    /** Names the registrations that begin with this text. */
    registered: (prefix: string) =>
      emulator.control
        .registrations()
        .map(({ name }) => name)
        .filter((name) => name.startsWith(prefix)),
    close: async () => {
      emulator.close()
      await server.close()
    },
  }
}

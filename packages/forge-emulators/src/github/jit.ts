// Creates the JIT configuration of a runner (docs/reference/scale-set-protocol.md#s11-1). Its files have the real shape.
// A bearer token for the emulator replaces the OAuth exchange (packages/forge-emulators/src/github/runner-wire.md).
import { uuid } from '@dayfly/kit/ids'
import { type Random, randomInteger } from '@dayfly/kit/random'
import type { Emulation } from './emulation.ts'
import type { Runner } from './state.ts'

/** The lifetime of a runner's bearer token, longer than any job. */
const runnerTtlS = 6 * 24 * 3_600

export function jitConfig(emulation: Emulation, runner: Runner, workFolder: string, origin: string): string {
  const { random, tokens, clock } = emulation
  const claims = { kind: 'runner', scope: runner.scope.key, runner: runner.id } as const
  const files = {
    '.runner': {
      AgentId: runner.id,
      AgentName: runner.name,
      PoolId: 1,
      DisableUpdate: true,
      Ephemeral: true,
      ServerUrl: `${origin}/tenant/${runner.scope.key}/`,
      ServerUrlV2: `${origin}/runner/`,
      WorkFolder: workFolder || '_work',
      UseV2Flow: true,
    },
    '.credentials': {
      Scheme: 'OAuth',
      Data: {
        ClientId: uuid(random),
        AuthorizationUrl: `${origin}/tenant/${runner.scope.key}/_apis/oauth2/token`,
        AccessToken: tokens.issue(claims, runnerTtlS, clock.now()),
      },
    },
    '.credentials_rsaparams': fakeKey(random),
  }
  return base64(Object.fromEntries(Object.entries(files).map(([name, value]) => [name, base64(value)])))
}

/** The members of a 2048-bit RSA key and their sizes in bytes. */
const rsaMembers = [
  ['d', 256],
  ['dp', 128],
  ['dq', 128],
  ['exponent', 3],
  ['inverseQ', 128],
  ['modulus', 256],
  ['p', 128],
  ['q', 128],
] as const

/** Returns an object with the shape of a key. It cannot sign. */
function fakeKey(random: Random): object {
  return Object.fromEntries(
    rsaMembers.map(([name, size]) => [name, Buffer.alloc(size, randomInteger(random, 1, 255)).toString('base64')]),
  )
}

function base64(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64')
}

// Connects a set to its forge, and goes on trying while it cannot.
import type { ForgeSet, Link } from '../forge/forge.ts'
import { KubernetesError } from '../kubernetes/errors.ts'
import { backoffMs } from '../lib/backoff.ts'
import type { Failure } from '../model/failure.ts'
import { forgeFailure } from './act/failures.ts'
import type { Journal } from './journal.ts'
import type { SetCache } from './observe/set-cache.ts'
import type { ControllerOptions } from './options.ts'
import { secrets } from './resources.ts'

export type LinkDeps = Pick<ControllerOptions, 'kubernetes' | 'clock' | 'random' | 'forgeFor'> & {
  readonly journal: Journal
  readonly cache: SetCache
  readonly wake: () => void
}

const retry = { baseMs: 1_000, capMs: 60_000 }

/** Undefined only when the signal is aborted. */
export async function openLink(deps: LinkDeps, set: ForgeSet, until: AbortSignal): Promise<Link | undefined> {
  const { cache, clock, journal, random } = deps
  for (let attempt = 1; !until.aborted; attempt++) {
    try {
      const forge = deps.forgeFor(cache.set.source, await readCredential(deps, until))
      return await forge.open(set, rememberedState(cache), until)
    } catch (error) {
      if (until.aborted) return undefined
      const failure = error instanceof MissingCredential ? error.failure : forgeFailure(error)
      cache.forge.failing(failure, clock.now())
      journal.write({ kind: 'forge-failed', namespace: cache.set.namespace, set: cache.set.name, failure })
      deps.wake()
      await clock.sleep(backoffMs(retry, attempt, random), until).catch(() => {})
    }
  }
  return undefined
}

class MissingCredential extends Error {
  readonly failure: Failure

  constructor(message: string) {
    super(message)
    this.failure = { reason: 'forge-unauthorized', message }
  }
}

/** The Secret's entries as text. */
async function readCredential(deps: LinkDeps, signal: AbortSignal): Promise<Readonly<Record<string, string>>> {
  const { namespace, source } = deps.cache.set
  const name = source.credentialsSecret
  try {
    const secret = await deps.kubernetes.get(secrets, { namespace, name }, { signal })
    const data = (secret['data'] ?? {}) as Readonly<Record<string, string>>
    return Object.fromEntries(
      Object.entries(data).map(([key, value]) => [key, Buffer.from(value, 'base64').toString('utf8').trim()]),
    )
  } catch (error) {
    if (error instanceof KubernetesError && error.kind === 'not-found') {
      throw new MissingCredential(`the Secret ${namespace}/${name} does not exist`)
    }
    throw error
  }
}

function rememberedState(cache: SetCache): Readonly<Record<string, string>> | undefined {
  return Object.keys(cache.forge.state).length > 0 ? cache.forge.state : undefined
}

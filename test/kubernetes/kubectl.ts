// Finds kubectl on the machine, or else builds it once from its Go modules and caches it.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { buildProgram } from '../../scripts/control-plane/build.ts'

const run = promisify(execFile)

export type Found =
  | { readonly is: 'found'; readonly program: string }
  | { readonly is: 'missing'; readonly why: string }

/** Finds or builds kubectl. A build takes minutes with an empty Go cache. */
export async function findKubectl(): Promise<Found> {
  if (await hasKubectl()) return { is: 'found', program: 'kubectl' }
  const built = await buildProgram('kubectl', new AbortController().signal)
  return built.is === 'built'
    ? { is: 'found', program: built.program }
    : { is: 'missing', why: `there is no kubectl, and it cannot be built: ${built.why}` }
}

export async function hasKubectl(): Promise<boolean> {
  return await run('kubectl', ['version', '--client']).then(
    () => true,
    () => false,
  )
}

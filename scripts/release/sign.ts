// Signs what a release has published, with cosign: with a key, or without one by the identity of the workflow that runs.
import { run } from './run.ts'
import type { Published } from './stamp.ts'

export type Signing = {
  readonly cosign: string
  /** The file of the private key. Undefined: the workflow's own identity signs, and a public log records it. */
  readonly key: string | undefined
}

/** Signs an artifact and everything inside it. */
export async function sign(signing: Signing, { name, digest }: Published): Promise<void> {
  await run(signing.cosign, ['sign', ...options(signing), '--recursive', `${name}@${digest}`])
}

/** Attaches a bill of materials as a signed statement. */
export async function attestBill(signing: Signing, { name, digest }: Published, bill: string): Promise<void> {
  const statement = ['--type', 'cyclonedx', '--predicate', bill]
  await run(signing.cosign, ['attest', ...options(signing), ...statement, `${name}@${digest}`])
}

/** Signs a file. @param bundle the file that gets the signature and its proof */
export async function signFile(signing: Signing, file: string, bundle: string): Promise<void> {
  await run(signing.cosign, ['sign-blob', ...options(signing), '--bundle', bundle, file])
}

function options({ key }: Signing): readonly string[] {
  // A trial must leave no trace in the public log.
  return ['--yes', ...(key === undefined ? [] : ['--key', key, '--tlog-upload=false', '--use-signing-config=false'])]
}

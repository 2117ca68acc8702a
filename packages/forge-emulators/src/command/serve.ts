// Serves an emulated forge until the user interrupts it.
import { writeFile } from 'node:fs/promises'
import { CliFailure, codeOf } from '@dayfly/command-line/failure'
import { listenOn } from '@dayfly/command-line/port'
import { selfSignedCertificate } from '@dayfly/kit/certificate'
import type { Clock } from '@dayfly/kit/clock'
import type { ForgeServer } from '../server/server.ts'

export type ServeOptions = {
  readonly port: number
  readonly latency: number
  readonly tls?: string
  readonly json?: true
}

/** @param start is called once the forge listens. It may resolve with a function that ends what it started. */
export async function serveUntilInterrupted(
  emulator: ForgeServer,
  port: number,
  start: (origin: string) => Promise<(() => Promise<void>) | undefined> | undefined,
): Promise<void> {
  const interruption = interrupted()
  const server = await listenOn(emulator, port, 'The forge')
  let end: (() => Promise<void>) | undefined
  try {
    end = await start(server.origin)
    await interruption
  } finally {
    await end?.()
    await server.close()
  }
}

/** Returns the certificate and the key with which the forge serves, after clients can read the certificate from its file. */
export async function certificateFor(
  { tls: file }: ServeOptions,
  clock: Clock,
): Promise<ReturnType<typeof selfSignedCertificate> | undefined> {
  if (file === undefined) return undefined
  const certificate = selfSignedCertificate(clock.now())
  await writePrivately(file, certificate.cert)
  return certificate
}

/** Returns the beginning of a printed curl command: it trusts the certificate of the forge. */
export function curlCommand({ tls }: ServeOptions): string {
  return tls ? `curl --cacert ${tls}` : 'curl'
}

/** Only this user may read the file. */
export async function writePrivately(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text, { mode: 0o600 })
  } catch (cause) {
    throw new CliFailure({
      code: 'file-unwritable',
      sentence: `The file ${file} cannot be written (${codeOf(cause)}).`,
      next: 'Name a file in a folder that exists and that you may write to.',
      cause,
    })
  }
}

function interrupted(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve())
  })
}

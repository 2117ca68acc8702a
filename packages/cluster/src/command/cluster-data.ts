// The data directory of `dayfly cluster`: its journal, its containers, and what lets clients connect again after a restart.
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { CliFailure, codeOf } from '@dayfly/command-line/failure'
import { type Certificate, selfSignedCertificate } from '@dayfly/kit/certificate'
import type { Clock, Instant } from '@dayfly/kit/clock'
import { randomName } from '@dayfly/kit/ids'
import type { Random } from '@dayfly/kit/random'
import { newTokenKey } from '../api/tokens.ts'
import { type DataDirectory, DataDirectoryError, openDataDirectory } from '../store/data-directory.ts'

export type Identity = {
  readonly created: Instant
  readonly certificate: Certificate
  readonly tokenKey: string
  /** The token of the kubeconfig's user. */
  readonly token: string
}

/** The certificate is valid for a year. */
const renewMs = 300 * 24 * 3_600_000

export function newIdentity(clock: Clock, random: Random): Identity {
  const created = clock.now()
  const certificate = selfSignedCertificate(created)
  return { created, certificate, tokenKey: newTokenKey(), token: randomName(random, 40) }
}

/** The open data directory of a cluster. */
export type ClusterData = {
  readonly journal: DataDirectory
  readonly identity: Identity
  /** The directory where the containers are kept. */
  readonly containers: string
  /** The port of the last run. Containers that still run know it. */
  lastPort(): number | undefined
  keepPort(port: number): void
}

type Machine = { readonly clock: Clock; readonly random: Random }

/**
 * Opens the directory. Rejects with a `CliFailure` if it is damaged, in use or not writable.
 *
 * @param onFailure receives the failure if the directory can no longer be written
 */
export async function openData(
  given: string,
  { clock, random }: Machine,
  onFailure: (failure: CliFailure) => void,
): Promise<ClusterData> {
  const directory = resolve(given)
  let data: DataDirectory | undefined
  try {
    data = await openDataDirectory(directory, clock, (failure) => onFailure(unusable(failure)))
    const portFile = join(directory, 'port')
    return {
      journal: data,
      identity: keptIdentity(join(directory, 'identity.json'), clock, random),
      containers: join(directory, 'containers'),
      lastPort: () => readPort(portFile),
      keepPort: (port) => writeFileSync(portFile, `${port}\n`, { mode: 0o600 }),
    }
  } catch (error) {
    await data?.close()
    throw error instanceof DataDirectoryError ? unusable(error) : unwritable(directory, error)
  }
}

function keptIdentity(file: string, clock: Clock, random: Random): Identity {
  const known = readIdentity(file)
  if (known !== undefined && clock.now() - known.created < renewMs) return known
  const identity = newIdentity(clock, random)
  writeFileSync(`${file}.new`, JSON.stringify(identity), { mode: 0o600 })
  renameSync(`${file}.new`, file)
  return identity
}

/** An unreadable identity is replaced: clients then need the new kubeconfig, and nothing else is lost. */
function readIdentity(file: string): Identity | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Identity
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || error instanceof SyntaxError) return undefined
    throw error
  }
}

function readPort(file: string): number | undefined {
  try {
    const port = Number(readFileSync(file, 'utf8'))
    return port > 0 && port < 65_536 ? port : undefined
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
}

function unusable({ reason, path, message }: DataDirectoryError): CliFailure {
  const next = {
    'in-use': 'Stop the other cluster, or choose another directory with --data-dir.',
    damaged: `Restore ${path} from a backup, or move it away to start with an empty cluster.`,
    foreign: 'Use the version of dayfly that wrote it, or choose another directory with --data-dir.',
    'write-failed': 'Check the disk, then start the cluster again with the same --data-dir. Its containers still run.',
  }[reason]
  return new CliFailure({ code: `data-directory-${reason}`, sentence: message, next, exitCode: 1 })
}

function unwritable(directory: string, cause: unknown): CliFailure {
  return new CliFailure({
    code: 'data-directory-unusable',
    sentence: `The data directory ${directory} cannot be used (${codeOf(cause)}).`,
    next: 'Choose a directory that this user may write to with --data-dir.',
    cause,
  })
}

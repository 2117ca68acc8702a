// Reads the command line of a release.
import { type ParseArgsConfig, parseArgs } from 'node:util'
import type { Publication } from './agreement.ts'
import { ReleaseFailure } from './failure.ts'
import type { ChartKey } from './registry.ts'

export type ReleaseOptions = {
  /** The host and the path of the registry, such as registry.example/acme. */
  readonly registry: string
  /** Folders with `dayfly.tar` and `dayfly.cdx.json`, one for each processor. */
  readonly images: readonly string[]
  /** The file of cosign's private key. Undefined: the identity of the workflow signs. */
  readonly key: string | undefined
  readonly chartKey: ChartKey | undefined
  /** Undefined for a trial. */
  readonly publication: Publication | undefined
}

const text = { type: 'string' } as const
const publication = { tag: text, repository: text } as const

export function releaseOptions(args: readonly string[]): ReleaseOptions {
  const names = { registry: text, key: text, 'chart-keyring': text, 'chart-signer': text } as const
  const values = parsed(args, { ...names, ...publication, images: { type: 'string', multiple: true } })
  const registry = values.registry
  if (registry === undefined || !/^[\w.-]+(?::\d+)?(?:\/[\w.-]+)*$/.test(registry))
    throw new ReleaseFailure(
      'registry-invalid',
      registry === undefined ? 'No registry was given.' : `"${registry.slice(0, 80)}" is not a registry.`,
      'Give its host and path, for example --registry localhost:5000/dayfly.',
    )
  return {
    registry,
    images: values.images ?? ['dist/image'],
    key: values.key,
    chartKey: both(values, 'chart-keyring', 'chart-signer', (keyring, signer) => ({ keyring, signer })),
    publication: both(values, 'tag', 'repository', (tag, repository) => ({ tag, repository })),
  }
}

/** Returns the options of the check, which needs only the publication. */
export function checkOptions(args: readonly string[]): Publication | undefined {
  return both(parsed(args, publication), 'tag', 'repository', (tag, repository) => ({ tag, repository }))
}

function parsed<Options extends NonNullable<ParseArgsConfig['options']>>(args: readonly string[], options: Options) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: false }).values
  } catch (error) {
    const sentence = error instanceof Error ? error.message.split('. ')[0] : String(error)
    const known = Object.keys(options).map((name) => `--${name}`)
    throw new ReleaseFailure('option-unknown', `${sentence}.`, `Use only these options: ${known.join(', ')}.`)
  }
}

function both<Name extends string, Result>(
  values: { readonly [name in Name]?: unknown },
  first: Name,
  second: Name,
  combine: (first: string, second: string) => Result,
): Result | undefined {
  const [one, other] = [values[first], values[second]]
  if (typeof one === 'string' && typeof other === 'string') return combine(one, other)
  if (one === undefined && other === undefined) return undefined
  throw new ReleaseFailure(
    'options-incomplete',
    `--${first} and --${second} belong together.`,
    'Give both, or neither.',
  )
}

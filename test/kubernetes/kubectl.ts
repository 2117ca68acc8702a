// Finds kubectl on the machine, or else builds it once from its Go modules and caches it.
import { execFile } from 'node:child_process'
import { access, mkdir, rename, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const version = '1.36.3'

const main = `package main

import (
	"k8s.io/component-base/cli"
	"k8s.io/kubectl/pkg/cmd"
	"k8s.io/kubectl/pkg/cmd/util"
)

func main() {
	util.CheckErr(cli.RunNoErrOutput(cmd.NewDefaultKubectlCommand()))
}
`

export type Found =
  | { readonly is: 'found'; readonly program: string }
  | { readonly is: 'missing'; readonly why: string }

/** Finds or builds kubectl. A build takes half a minute to five minutes on two cores, depending on the cached modules. */
export async function findKubectl(): Promise<Found> {
  if (await works('kubectl', ['version', '--client'])) return { is: 'found', program: 'kubectl' }
  const folder = path.join(cacheFolder(), `kubectl-${version}`)
  const program = path.join(folder, 'kubectl')
  if (await exists(program)) return { is: 'found', program }
  if (!(await works('go', ['version']))) return { is: 'missing', why: 'neither kubectl nor Go is installed' }
  try {
    await buildKubectl(folder, program)
    return { is: 'found', program }
  } catch (error) {
    return { is: 'missing', why: `kubectl cannot be built: ${String(error).split('\n')[0]}` }
  }
}

async function buildKubectl(folder: string, program: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  const modules = `v0.${version.replace(/^1\./, '')}`
  await writeFile(path.join(folder, 'main.go'), main)
  await writeFile(
    path.join(folder, 'go.mod'),
    `module kubectl.test\n\ngo 1.26.0\n\nrequire k8s.io/kubectl ${modules}\n`,
  )
  const stamp = 'k8s.io/component-base/version'
  const flags = `-s -w -X ${stamp}.gitVersion=v${version} -X ${stamp}.gitMajor=1 -X ${stamp}.gitMinor=36`
  const options = { cwd: folder, env: { ...process.env, CGO_ENABLED: '0' } }
  await run('go', ['mod', 'tidy'], options)
  const half = `${program}.${process.pid}`
  await run('go', ['build', '-trimpath', '-ldflags', flags, '-o', half, '.'], options)
  await rename(half, program)
}

function cacheFolder(): string {
  return path.join(process.env['XDG_CACHE_HOME'] || path.join(homedir(), '.cache'), 'dayfly')
}

async function works(program: string, args: readonly string[]): Promise<boolean> {
  return await run(program, args).then(
    () => true,
    () => false,
  )
}

async function exists(file: string): Promise<boolean> {
  return await access(file).then(
    () => true,
    () => false,
  )
}

// Provides what the tests on the node cannot download, because the node has no network: helm, checkers of charts, crane, kubectl, and a Go client's modules.
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { findKubectl } from '../../test/kubernetes/kubectl.ts'
import { buildProgram, type ProgramName } from '../chart/programs.ts'
import { type Missing, runGo } from '../control-plane/go.ts'

/** The folders with the programs, for PATH. */
export type Tools = { readonly is: 'built'; readonly folders: readonly string[] } | Missing

/** The Go module of the public client of GitHub's scale-set API. A test compiles it. */
const client = fileURLToPath(new URL('../../test/kubernetes/scaleset', import.meta.url))
const names: readonly ProgramName[] = ['helm', 'kubeconform', 'kube-score', 'crane']

/** Builds the tools. It takes minutes the first time. Rejects if a program does not compile. */
export async function buildTools(signal: AbortSignal): Promise<Tools> {
  const folders: string[] = []
  for (const name of names) {
    const built = await buildProgram(name, signal)
    if (built.is === 'missing') return built
    folders.push(path.dirname(built.program))
  }
  const lacking = await runGo(['mod', 'download'], { cwd: client, signal })
  if (lacking) return lacking
  const kubectl = await findKubectl()
  if (kubectl.is === 'missing') return kubectl
  // A program without a folder is in PATH already.
  return { is: 'built', folders: kubectl.program.includes('/') ? [...folders, path.dirname(kubectl.program)] : folders }
}

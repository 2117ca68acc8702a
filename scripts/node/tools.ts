// Provides the programs that the tests run on the node, built while there is a network: helm, the checkers of charts, and kubectl.
import path from 'node:path'
import { findKubectl } from '../../test/kubernetes/kubectl.ts'
import { buildProgram, type ProgramName } from '../chart/programs.ts'
import type { Missing } from '../control-plane/go.ts'

/** The folders with the programs, for PATH. */
export type Tools = { readonly is: 'built'; readonly folders: readonly string[] } | Missing

const names: readonly ProgramName[] = ['helm', 'kubeconform', 'kube-score']

/** Builds the tools. It takes minutes the first time. Rejects if a program does not compile. */
export async function buildTools(signal: AbortSignal): Promise<Tools> {
  const folders: string[] = []
  for (const name of names) {
    const built = await buildProgram(name, signal)
    if (built.is === 'missing') return built
    folders.push(path.dirname(built.program))
  }
  const kubectl = await findKubectl()
  if (kubectl.is === 'missing') return kubectl
  // A program without a folder is in PATH already.
  return { is: 'built', folders: kubectl.program.includes('/') ? [...folders, path.dirname(kubectl.program)] : folders }
}

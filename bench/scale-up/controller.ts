// The controller under measurement: the product itself, in its own process.
import { benchNamespace } from './place.ts'
import { type Program, startProgram } from './program.ts'

/** @param profile the folder for a CPU profile; undefined for none */
export function startController(program: string, kubeconfig: string, profile: string | undefined): Program {
  const nodeArguments = profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`]
  const flags = ['--kubeconfig', kubeconfig, '--lease-namespace', benchNamespace, '--health-address', 'off']
  return startProgram([program, 'controller', ...flags], { nodeArguments, keepOutput: false })
}

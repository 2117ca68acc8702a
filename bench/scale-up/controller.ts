// The controller under measurement: the product itself, in its own process, with the flags of its image.
import { controllerFlags } from '../../scripts/image/contents.ts'
import { benchNamespace } from './place.ts'
import { type Program, startProgram } from './program.ts'

/** @param profile the folder for a CPU profile; undefined for none */
export function startController(program: string, kubeconfig: string, profile: string | undefined): Program {
  const profiling = profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`]
  const nodeArguments = [...controllerFlags, ...profiling]
  const flags = ['--kubeconfig', kubeconfig, '--lease-namespace', benchNamespace, '--health-address', 'off']
  return startProgram([program, 'controller', ...flags], { nodeArguments, keepOutput: false })
}

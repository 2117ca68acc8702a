// Which cluster a command talks to: the kubeconfig that was named, the user's own, or, inside a pod, the pod's own cluster.
import { stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import path from 'node:path'
import type { PluginHost } from '../kubernetes/credential-plugin.ts'
import { loadInCluster, serviceAccountFolder } from '../kubernetes/in-cluster.ts'
import { type Kubeconfig, loadKubeconfig } from '../kubernetes/kubeconfig.ts'
import { KubeconfigError } from '../kubernetes/kubeconfig-error.ts'
import { systemClock } from '../lib/system.ts'
import { CliFailure } from './failure.ts'
import { pluginHost } from './run-plugin.ts'

/** As the command's options say it. */
export type ClusterChoice = { readonly kubeconfig?: string; readonly context?: string }

export type Surroundings = {
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly home: string
  /** Where a pod's ServiceAccount is mounted. */
  readonly serviceAccount: string
  /** Runs the program that a kubeconfig names for its credentials. */
  readonly plugins: PluginHost
}

/** Throws a CliFailure with what to do. Whatever is named but cannot be used is an error, never passed over. */
export async function clusterAccess(choice: ClusterChoice, around: Surroundings): Promise<Kubeconfig> {
  try {
    const named = choice.kubeconfig ?? around.environment['KUBECONFIG']?.split(path.delimiter).find(Boolean)
    const own = path.join(around.home, '.kube', 'config')
    if (named !== undefined) return await loadKubeconfig(named, choice.context, around.plugins)
    if (await exists(own)) return await loadKubeconfig(own, choice.context, around.plugins)
    const folder = around.serviceAccount
    const pod =
      choice.context === undefined ? await loadInCluster({ environment: around.environment, folder }) : undefined
    if (pod) return pod
    throw new CliFailure({
      code: 'cluster-unknown',
      sentence: `No cluster is known: ${own} does not exist, KUBECONFIG is not set${choice.context === undefined ? ', and this is no pod of a cluster' : ''}.`,
      next: 'Name a kubeconfig with --kubeconfig or KUBECONFIG, or run this in a pod with a ServiceAccount.',
    })
  } catch (error) {
    if (!(error instanceof KubeconfigError)) throw error
    throw new CliFailure({ code: error.code, sentence: error.message, next: error.next, cause: error })
  }
}

/** Of this process. */
export function surroundings(): Surroundings {
  const { env: environment } = process
  const plugins = pluginHost({ environment, isTerminal: process.stdin.isTTY === true, clock: systemClock() })
  return { environment, home: homedir(), serviceAccount: serviceAccountFolder, plugins }
}

async function exists(file: string): Promise<boolean> {
  try {
    await stat(file)
    return true
  } catch (error) {
    // Whatever else is wrong with the file is told by whoever reads it.
    return (error as NodeJS.ErrnoException).code !== 'ENOENT'
  }
}

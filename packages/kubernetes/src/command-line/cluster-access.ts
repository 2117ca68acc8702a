// Chooses the cluster of a command: the given kubeconfig, or else the one in the home directory, or else the pod's own cluster.
import { stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import path from 'node:path'
import { CliFailure } from '@dayfly/command-line/failure'
import { systemClock } from '@dayfly/kit/system'
import type { PluginHost } from '../credential-plugin.ts'
import { loadInCluster, serviceAccountFolder } from '../in-cluster.ts'
import { type Kubeconfig, loadKubeconfig } from '../kubeconfig.ts'
import { KubeconfigError } from '../kubeconfig-error.ts'
import { pluginHost } from './run-plugin.ts'

/** The command's options that choose a cluster. */
export type ClusterChoice = { readonly kubeconfig?: string; readonly context?: string }

export type Surroundings = {
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly home: string
  /** The directory where a pod's ServiceAccount is mounted. */
  readonly serviceAccount: string
  /** Runs the credential plugin of a kubeconfig. */
  readonly plugins: PluginHost
}

/** Returns how to reach the cluster. Throws a CliFailure if there is none, or if the chosen kubeconfig cannot be used: it never skips one. */
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
    const noPod = choice.context === undefined ? ', and this process does not run in a pod' : ''
    throw new CliFailure({
      code: 'cluster-unknown',
      sentence: `No kubeconfig was found: ${own} does not exist, KUBECONFIG is not set${noPod}.`,
      next: 'Pass a kubeconfig with --kubeconfig or KUBECONFIG, or run the command in a pod with a ServiceAccount.',
    })
  } catch (error) {
    if (!(error instanceof KubeconfigError)) throw error
    throw new CliFailure({ code: error.code, sentence: error.message, next: error.next, cause: error })
  }
}

/** Returns the surroundings of this process. */
export function surroundings(): Surroundings {
  const { env: environment } = process
  const plugins = pluginHost({ environment, isTerminal: process.stdin.isTTY === true, clock: systemClock() })
  // Set in the containers of `dayfly cluster`, which cannot mount at absolute paths on every host.
  const serviceAccount = path.join(environment['DAYFLY_ROOT'] ?? '/', serviceAccountFolder)
  return { environment, home: homedir(), serviceAccount, plugins }
}

async function exists(file: string): Promise<boolean> {
  try {
    await stat(file)
    return true
  } catch (error) {
    // Any other error shows when the file is read.
    return (error as NodeJS.ErrnoException).code !== 'ENOENT'
  }
}

// The options that the operators' commands share, and the cluster that they open with them.
import { CliFailure } from '@dayfly/command-line/failure'
import { version } from '@dayfly/command-line/version'
import type { Random } from '@dayfly/kit/random'
import { systemClock, systemRandom, systemStopwatch } from '@dayfly/kit/system'
import { createKubernetes } from '@dayfly/kubernetes/client'
import { clusterAccess, surroundings } from '@dayfly/kubernetes/command-line/cluster-access'
import { makeContact } from '@dayfly/kubernetes/command-line/first-contact'
import { connect } from '@dayfly/kubernetes/connect'
import { createInquiry, type Inquiry } from '@dayfly/kubernetes/inquiry'
import type { Connection } from '@dayfly/kubernetes/send'
import { followServerTime } from '@dayfly/kubernetes/server-time'
import type { Command } from 'commander'
import type { LeaseChoice } from '../operate/leader.ts'
import type { Cluster } from '../operate/read.ts'
import { refusing } from './refusals.ts'

export type ClusterOptions = {
  readonly kubeconfig?: string
  readonly context?: string
  readonly namespace?: string
  readonly allNamespaces?: true
  readonly leaseNamespace?: string
  readonly leaseName?: string
  readonly json?: true
}

/** Adds the options that choose a cluster. */
export function withConnection(command: Command): Command {
  return command
    .option(
      '--kubeconfig <file>',
      'the kubeconfig; default: $KUBECONFIG, ~/.kube/config or the ServiceAccount of the pod',
    )
    .option('--context <name>', 'the context of the kubeconfig')
}

/** Adds the shared options to a command. */
export function withCluster(command: Command): Command {
  return withConnection(command)
    .option('-n, --namespace <name>', 'the namespace; default: the one of the context')
    .option('-A, --all-namespaces', 'all namespaces')
    .option('--lease-namespace <name>', 'the namespace of the Lease of the controller; default: search all')
    .option('--lease-name <name>', 'the name of the Lease of the controller; default: each Lease of Dayfly')
    .option('--json', 'print the result as JSON')
}

export type Opened = Cluster & {
  readonly random: Random
  readonly inquiry: Inquiry
  /** For reads that are no verbs of the client, such as logs. */
  readonly connection: Connection
  /** The namespace to read; undefined for all. */
  readonly namespace: string | undefined
  /** The namespace of the context: where a name without a namespace is looked for. */
  readonly home: string
  readonly lease: LeaseChoice
}

/** Runs the work on the cluster that the options choose, and closes the connection. Failed reads become failures with a next step. */
export async function onCluster<T>(options: ClusterOptions, work: (opened: Opened) => Promise<T>): Promise<T> {
  checkNamespace(options)
  const own = systemClock()
  const random = systemRandom()
  const access = await clusterAccess(options, surroundings())
  const connection = connect(access, own)
  const { clock, observing } = followServerTime(own, systemStopwatch)
  try {
    const caller = {
      transport: observing(connection.transport),
      clock,
      random,
      userAgent: `dayfly-cli/${version}`,
    }
    await makeContact(caller)
    const home = options.namespace ?? access.namespace
    const { leaseNamespace, leaseName } = options
    const opened: Opened = {
      kubernetes: createKubernetes(caller),
      inquiry: createInquiry(caller),
      connection: caller,
      clock,
      random,
      namespace: options.allNamespaces ? undefined : home,
      home,
      lease: { namespace: leaseNamespace, name: leaseName },
    }
    return await refusing(opened, () => work(opened))
  } finally {
    await connection.close()
  }
}

function checkNamespace({ namespace, allNamespaces }: ClusterOptions): void {
  if (namespace === undefined || !allNamespaces) return
  const next = 'Leave one of them out.'
  throw new CliFailure({ code: 'usage', sentence: '-n names one namespace, and -A means all.', next })
}

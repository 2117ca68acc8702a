// `dayfly controller`: the production process. It runs the sets of a cluster until a signal ends it.
import { CliFailure } from '@dayfly/command-line/failure'
import { Interrupted, listenForInterruption } from '@dayfly/command-line/interruption'
import { wholeNumber } from '@dayfly/command-line/option-values'
import { surviveOutputErrors } from '@dayfly/command-line/output'
import { systemClock, systemRandom } from '@dayfly/kit/system'
import { clusterAccess, surroundings } from '@dayfly/kubernetes/command-line/cluster-access'
import { Command, Option } from 'commander'
import type { LogLevel } from '../log/log-line.ts'
import { logLevels } from '../log/log-line.ts'
import { gateKindOf } from '../page/access.ts'
import type { PageSettings } from '../page/open-page.ts'
import { readPrices } from '../page/prices.ts'
import { listenAddress } from './process/listen-address.ts'
import { logFailure, processLog } from './process/process-log.ts'
import { runController } from './process/run.ts'
import { type WebhookSettings, webhookSecret } from './process/webhooks.ts'

type Options = {
  readonly kubeconfig?: string
  readonly context?: string
  readonly namespace?: string
  readonly leaseNamespace?: string
  readonly leaseName: string
  readonly healthAddress: string
  readonly dashboardAddress: string
  readonly dashboardAccess?: string
  readonly dashboardPrices?: string
  readonly costLabels?: boolean
  readonly dashboardHistory?: string
  readonly dashboardHistoryDays: number
  readonly dashboardHistoryMegabytes: number
  readonly webhookAddress: string
  readonly webhookSecretFile?: string
  readonly logLevel: LogLevel
}

const examples = `
Examples:
  dayfly controller                                    run all sets of the cluster of this pod or kubeconfig
  dayfly controller --namespace ci                     run only the sets of one namespace
  dayfly controller --health-address 0.0.0.0:8080      serve health checks and metrics to the cluster
  dayfly controller --dashboard-address 127.0.0.1:0    show jobs, runners and costs on a page
  dayfly controller | jq 'select(.level != "info")'    show only problems`

export function controllerCommand(): Command {
  return new Command('controller')
    .description(
      'Runs the runner sets of a Kubernetes cluster. Several processes may run: one leads, and the others wait to take over.\nThe log is one JSON object a line on stdout.',
    )
    .option('--kubeconfig <file>', 'kubeconfig of the cluster (default: KUBECONFIG, ~/.kube/config, or the pod)')
    .option('--context <name>', 'context of the kubeconfig')
    .option('--namespace <name>', 'run only the sets of this namespace (default: all namespaces)')
    .option('--cost-labels', 'label the pod of each job with its repository and workflow, for tools such as OpenCost')
    .option('--lease-namespace <name>', 'namespace of the Lease (default: that of the pod or of the kubeconfig)')
    .option('--lease-name <name>', 'name of the Lease that all processes of one installation share', 'dayfly')
    .option('--health-address <host:port>', 'address of /healthz, /readyz and /metrics, or off', '127.0.0.1:8080')
    .option('--dashboard-address <host:port>', 'address of the page with jobs, runners and costs, or off', 'off')
    .option(
      '--dashboard-access <kind>',
      'who sees the page: token, or header:USER,GROUPS behind a proxy (default: token; on loopback, each process of the machine)',
    )
    .option('--dashboard-prices <file>', 'prices for the costs on the page, as JSON')
    .option('--dashboard-history <folder>', 'keep the past of the page in this folder')
    .option(
      '--dashboard-history-days <number>',
      'how long the past is kept',
      wholeNumber('--dashboard-history-days', 1, 90),
      7,
    )
    .option(
      '--dashboard-history-megabytes <number>',
      'how large the folder may get',
      wholeNumber('--dashboard-history-megabytes', 1, 100_000),
      200,
    )
    .option(
      '--webhook-address <host:port>',
      'address for webhooks of Gitea, which make polls come at once, or off',
      'off',
    )
    .option('--webhook-secret-file <file>', 'the file with the secret of these webhooks')
    .addOption(new Option('--log-level <level>', 'least urgent level to log').choices(logLevels).default('info'))
    .addHelpText('after', examples)
    .action((options: Options) => controller(options))
}

async function controller(options: Options): Promise<void> {
  const clock = systemClock()
  const log = processLog(clock, options.logLevel)
  const interruption = listenForInterruption(({ exitCode }) => process.exit(exitCode))
  const crashed = (error: unknown) => {
    log.crashed(error)
    process.exit(1)
  }
  surviveOutputErrors()
  process.on('uncaughtException', crashed)
  try {
    requireName('--namespace', options.namespace)
    requireName('--lease-namespace', options.leaseNamespace)
    requireName('--lease-name', options.leaseName)
    const health = listenAddress('--health-address', options.healthAddress)
    const page = await pageSettings(options)
    const webhooks = await webhookSettings(options)
    const readKubeconfig = () => clusterAccess(options, surroundings())
    const kubeconfig = await readKubeconfig()
    const settings = {
      kubeconfig,
      readKubeconfig,
      health,
      page,
      webhooks,
      namespace: options.namespace,
      costLabels: options.costLabels === true,
      lease: { namespace: options.leaseNamespace ?? kubeconfig.namespace, name: options.leaseName },
      podName: process.env['POD_NAME'],
    }
    await runController(settings, { clock, random: systemRandom(), journal: log.journal }, interruption.signal)
  } catch (error) {
    if (error instanceof Interrupted) return
    logFailure(log, error)
    throw error
  } finally {
    process.off('uncaughtException', crashed)
    interruption.release()
  }
}

async function pageSettings(options: Options): Promise<PageSettings | undefined> {
  const { dashboardAddress, dashboardAccess, dashboardPrices, dashboardHistory } = options
  const { dashboardHistoryDays: days, dashboardHistoryMegabytes: megabytes } = options
  const address = listenAddress('--dashboard-address', dashboardAddress)
  if (!address) return undefined
  return {
    address,
    access: gateKindOf(dashboardAccess, address),
    prices: dashboardPrices === undefined ? null : await readPrices(dashboardPrices, '--dashboard-prices'),
    history: dashboardHistory === undefined ? undefined : { folder: dashboardHistory, days, megabytes },
  }
}

async function webhookSettings(options: Options): Promise<WebhookSettings | undefined> {
  const address = listenAddress('--webhook-address', options.webhookAddress)
  return address && { address, secret: await webhookSecret(options.webhookSecretFile) }
}

/** The API server would answer a wrong name with an empty list, and the mistake would stay unseen. */
function requireName(option: string, name: string | undefined): void {
  if (name === undefined || /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(name)) return
  throw new CliFailure({
    code: 'usage',
    sentence: `${option} "${name}" is not a name that Kubernetes allows.`,
    next: 'Use at most 63 lower-case letters, digits and hyphens.',
  })
}

// `dayfly dashboard`: the page of a cluster, served on this machine with the rights of the caller.

import { wholeNumber } from '@dayfly/command-line/option-values'
import { printLine, printNote } from '@dayfly/command-line/output'
import { programName } from '@dayfly/command-line/program-name'
import { untilInterrupted } from '@dayfly/command-line/until-interrupted'
import { version } from '@dayfly/command-line/version'
import { History } from '@dayfly/dashboard/history/history'
import { createPodLogs } from '@dayfly/kubernetes/pod-logs'
import { defaultLimits } from '@dayfly/runner-set/model/limits'
import { Command } from 'commander'
import { loopbackGate } from '../page/gate.ts'
import { Outside } from '../page/outside.ts'
import { servePage } from '../page/serve-page.ts'
import { type ClusterOptions, type Opened, onCluster, withCluster } from './options.ts'

type Options = ClusterOptions & { readonly port: number }

export function dashboardCommand(): Command {
  const dayfly = programName()
  return withCluster(new Command('dashboard'))
    .description('Serves a page with the runner sets, their runners and what is wrong, on this machine, until Ctrl-C.')
    .option('--port <number>', 'the port on 127.0.0.1; 0 takes a free one', wholeNumber('--port', 0, 65_535), 8081)
    .addHelpText(
      'after',
      `
Examples:
  ${dayfly} dashboard                  the sets of the namespace of the context
  ${dayfly} dashboard -A --port 9000   all sets, on another port

It reads the status, the pods and the Events with your rights, and needs no change of the cluster. The controller knows more:
waiting jobs by name, queue times and costs. It serves the whole page with --dashboard-address.`,
    )
    .action((options: Options) => onCluster(options, (opened) => serve(opened, options)))
}

async function serve(opened: Opened, { port, json }: Options): Promise<void> {
  const { clock, random, namespace, lease, connection } = opened
  const history = new History()
  const logs = createPodLogs(connection)
  const outside = new Outside({ cluster: opened, namespace, lease, logs, history, limits: defaultLimits })
  await outside.read()
  const address = { host: '127.0.0.1', port }
  const served = {
    address,
    option: '--port',
    clock,
    random,
    history: () => history,
    present: outside,
    gate: loopbackGate,
    prices: null,
    version,
  }
  const page = await servePage(served)
  if (json) printLine(JSON.stringify({ address: page.origin }))
  else printNote(`The page is served on ${page.origin}. Press Ctrl-C to end it.`)
  try {
    process.exitCode = await untilInterrupted(async (signal) => {
      await outside.run(signal)
      signal.throwIfAborted()
      return 0
    })
  } finally {
    await page.close()
  }
}

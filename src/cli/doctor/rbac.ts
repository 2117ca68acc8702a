// `dayfly doctor rbac`: the least role that a look at a cluster needs, and with --fixes the one that mends.
import { Command } from 'commander'
import { stringify } from 'yaml'
import { catalogue } from '../../doctor/rules/catalogue.ts'
import { CliFailure } from '../failure.ts'
import { printResult } from '../output.ts'
import { findRule } from './explain.ts'

type Options = { readonly fixes?: string | true; readonly in?: string; readonly logs?: true }

export function rbacCommand(): Command {
  return new Command('rbac')
    .description('Prints the least roles for --live, as YAML for kubectl apply.')
    .option(
      '--fixes [rules]',
      'also the role for mending what these rules find (POD101,zombie-runner-pod); all unless named',
    )
    .option('--in <namespaces>', 'roles for these namespaces, separated by commas; for the whole cluster unless given')
    .option('--logs', 'also what reading logs takes')
    .addHelpText('after', help)
    .action(async (_: unknown, command: Command) => {
      const { fixes, in: namespaces, logs } = command.optsWithGlobals<Options>()
      const { doctorRoles } = await import('../../doctor/live/rbac.ts')
      const roles = doctorRoles({ fixes: slugsOf(fixes), namespaces: namespaces?.split(',').map(namespaceOf), logs })
      printResult(roles.map((role) => stringify(role)).join('---\n'))
    })
}

const help = `
Examples:
  dayfly doctor rbac | kubectl apply -f -                   what "--live" reads, in the whole cluster
  dayfly doctor rbac --in ci,builds                         in two namespaces alone
  dayfly doctor rbac --fixes zombie-runner-pod --in ci      also what mending zombies takes`

function namespaceOf(given: string): string {
  const name = given.trim()
  if (/^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/.test(name)) return name
  throw new CliFailure({
    code: 'usage',
    sentence: `--in takes namespaces, and "${name.slice(0, 80)}" is no name of one.`,
    next: 'Separate them by commas: --in ci,builds.',
  })
}

function slugsOf(fixes: string | true | undefined): readonly string[] {
  if (fixes === undefined) return []
  return fixes === true ? catalogue.map(({ slug }) => slug) : fixes.split(',').map((name) => findRule(name).slug)
}

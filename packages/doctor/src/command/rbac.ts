// `dayfly doctor rbac`: prints the least role that examining a cluster needs and, with --fixes, the role for repairs.
import { CliFailure } from '@dayfly/command-line/failure'
import { printResult } from '@dayfly/command-line/output'
import { Command } from 'commander'
import { stringify } from 'yaml'
import { doctorName } from '../doctor-name.ts'
import { catalogue } from '../rules/catalogue.ts'
import { findRule } from './explain.ts'

type Options = { readonly fixes?: string | true; readonly in?: string; readonly logs?: true }

export function rbacCommand(): Command {
  return new Command('rbac')
    .description('Prints the least roles for --live, as YAML for kubectl apply.')
    .option(
      '--fixes [rules]',
      'also the role for repairing findings of these rules (LIV301,zombie-runner-pod); default: all rules',
    )
    .option('--in <namespaces>', 'roles for these namespaces, separated by commas; default: the whole cluster')
    .option('--logs', 'also the right to read logs')
    .addHelpText('after', help)
    .action(async (_: unknown, command: Command) => {
      const { fixes, in: namespaces, logs } = command.optsWithGlobals<Options>()
      const { doctorRoles } = await import('../live/rbac.ts')
      const roles = doctorRoles({ fixes: slugsOf(fixes), namespaces: namespaces?.split(',').map(namespaceOf), logs })
      printResult(roles.map((role) => stringify(role)).join('---\n'))
    })
}

const help = `
Examples:
  ${doctorName} rbac | kubectl apply -f -                   what "--live" reads, in the whole cluster
  ${doctorName} rbac --in ci,builds                         in two namespaces only
  ${doctorName} rbac --fixes zombie-runner-pod --in ci      also the role for repairing zombies`

function namespaceOf(given: string): string {
  const name = given.trim()
  if (/^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/.test(name)) return name
  throw new CliFailure({
    code: 'usage',
    sentence: `--in takes namespaces, and "${name.slice(0, 80)}" is not a valid name.`,
    next: 'Separate them by commas: --in ci,builds.',
  })
}

function slugsOf(fixes: string | true | undefined): readonly string[] {
  if (fixes === undefined) return []
  return fixes === true ? catalogue.map(({ slug }) => slug) : fixes.split(',').map((name) => findRule(name).slug)
}

// `dayfly emulate`: serves an emulated forge on this machine, for tests without a real forge and for other autoscalers.
import { CliFailure } from '@dayfly/command-line/failure'
import { wholeNumber } from '@dayfly/command-line/option-values'
import { Argument, Command, Option } from 'commander'
import { dialectNames } from '../gitea/dialect.ts'
import { outages } from '../github/config.ts'
import { type BitbucketOptions, emulateBitbucket } from './bitbucket.ts'
import { emulateGitea, type GiteaOptions } from './gitea.ts'
import { emulateGitHub, type GitHubOptions } from './github.ts'

const examples = `
Examples:
  dayfly emulate github                              print the addresses and a token
  dayfly emulate github .github/workflows/ci.yml     queue the jobs of a workflow
  dayfly emulate github --port 8080 --latency 150    use a fixed port and slow answers
  dayfly emulate github --tls ca.crt --app app.pem   serve over TLS, and accept an App
  dayfly emulate github --outage assigns-nothing     begin with an outage, and print how to end it
  dayfly emulate bitbucket                           emulate a Bitbucket workspace with runners and steps
  dayfly emulate bitbucket bitbucket-pipelines.yml --runners 2
                                                     run the default pipeline of a file on two runners
  dayfly emulate gitea .gitea/workflows/ci.yml       queue the jobs of a workflow at an emulated Gitea
  dayfly emulate gitea --repository acme/app --dialect forgejo-15
                                                     emulate a Forgejo with the repository acme/app`

type Options = GitHubOptions & BitbucketOptions & GiteaOptions

export function emulateCommand(): Command {
  return new Command('emulate')
    .description(
      'Serves an emulated forge on 127.0.0.1 until you press Ctrl-C. It queues the jobs or the steps of the given files immediately.',
    )
    .addArgument(new Argument('<forge>', 'forge to emulate').choices(['github', 'bitbucket', 'gitea']))
    .argument('[file.yml...]', 'workflow files (GitHub, Gitea) or pipelines files (Bitbucket) to run once')
    .option('--port <number>', 'port to listen on; 0 means any free port', wholeNumber('--port', 0, 65_535), 0)
    .option('--latency <ms>', 'delay of every answer, in milliseconds', wholeNumber('--latency', 0, 60_000), 0)
    .option(
      '--ghes',
      'behave as a GitHub Enterprise Server: its paths, and jobs that are offered before they are assigned',
    )
    .option('--tls <file>', 'serve over TLS, and write the certificate that clients must trust to this file')
    .option('--app <file>', 'emulate a GitHub App, and write its private key to this file')
    .addOption(
      new Option('--outage <name>', 'outage to begin with (GitHub); the control API changes and ends it').choices(
        outages.filter((outage) => outage !== 'none'),
      ),
    )
    .option('--token-file <file>', 'write the token to this file (GitHub, Gitea)')
    .option('--pipeline <name>', 'pipeline of the files to run (Bitbucket), for example custom/deploy')
    .option(
      '--runners <number>',
      'runner processes to start (Bitbucket); their steps run as your user, without a sandbox',
      wholeNumber('--runners', 1, 20),
    )
    .option('--repository <owner/name>', 'repository of the jobs (Gitea); its owner is an organization')
    .addOption(new Option('--dialect <name>', 'version to emulate (Gitea)').choices(dialectNames))
    .option('--json', 'print the addresses and the token as one line of JSON')
    .addHelpText('after', examples)
    .action((forge: Forge, files: readonly string[], options: Options) => {
      refuseForeign(forge, options)
      if (forge === 'github') return emulateGitHub(files, options)
      if (forge === 'gitea') return emulateGitea(files, options)
      if (options.pipeline !== undefined && files.length === 0) {
        throw unsuitable('--pipeline chooses a pipeline of a file, and no file is given.', 'Add the path of a file.')
      }
      if (options.runners !== undefined && options.tls !== undefined) {
        throw unsuitable('The runners of --runners connect without TLS.', 'Omit --tls or --runners.')
      }
      return emulateBitbucket(files, options)
    })
}

type Forge = 'github' | 'bitbucket' | 'gitea'

const names: Readonly<Record<Forge, string>> = { github: 'GitHub', bitbucket: 'Bitbucket', gitea: 'Gitea' }

/** The options that not every forge has. */
const owners: readonly (readonly [option: keyof Options, flag: string, forges: readonly Forge[]])[] = [
  ['pipeline', '--pipeline', ['bitbucket']],
  ['runners', '--runners', ['bitbucket']],
  ['ghes', '--ghes', ['github']],
  ['app', '--app', ['github']],
  ['outage', '--outage', ['github']],
  ['tokenFile', '--token-file', ['github', 'gitea']],
  ['repository', '--repository', ['gitea']],
  ['dialect', '--dialect', ['gitea']],
]

/** Refuses options that only other forges have. */
function refuseForeign(forge: Forge, options: Options): void {
  const foreign = owners.find(([option, , forges]) => options[option] !== undefined && !forges.includes(forge))
  if (!foreign) return
  const [, flag, forges] = foreign
  const others = forges.map((each) => names[each]).join(' and ')
  throw unsuitable(`${flag} is for the emulated ${others} only.`, 'Omit this option.')
}

function unsuitable(sentence: string, next: string): CliFailure {
  return new CliFailure({ code: 'option-unsuitable', sentence, next })
}

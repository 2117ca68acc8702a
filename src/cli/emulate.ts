// `dayfly emulate`: serves an emulated forge on this machine, for tests without a real forge and for other autoscalers.
import { Argument, Command } from 'commander'
import { wholeNumber } from './demo/input.ts'
import { emulateBitbucket } from './emulate/bitbucket.ts'
import { emulateGitHub, type GitHubOptions } from './emulate/github.ts'
import type { ServeOptions } from './emulate/serve.ts'
import { CliFailure } from './failure.ts'

const examples = `
Examples:
  dayfly emulate github                              print the addresses and a token
  dayfly emulate github .github/workflows/ci.yml     queue the jobs of a workflow
  dayfly emulate github --port 8080 --latency 150    use a fixed port and slow answers
  dayfly emulate github --tls ca.crt --app app.pem   serve over TLS, and accept an App
  dayfly emulate bitbucket                           emulate a Bitbucket workspace with runners and steps`

export function emulateCommand(): Command {
  return new Command('emulate')
    .description(
      'Serves an emulated forge on 127.0.0.1 until you press Ctrl-C. The emulated GitHub queues the jobs of the given workflow files immediately.',
    )
    .addArgument(new Argument('<forge>', 'forge to emulate').choices(['github', 'bitbucket']))
    .argument('[workflow.yml...]', 'workflow files to run once (GitHub)')
    .option('--port <number>', 'port to listen on; 0 means any free port', wholeNumber('--port', 0, 65_535), 0)
    .option('--latency <ms>', 'delay of every answer, in milliseconds', wholeNumber('--latency', 0, 60_000), 0)
    .option(
      '--ghes',
      'behave as a GitHub Enterprise Server: its paths, and jobs that are offered before they are assigned',
    )
    .option('--tls <file>', 'serve over TLS, and write the certificate that clients must trust to this file')
    .option('--app <file>', 'emulate a GitHub App, and write its private key to this file')
    .option('--json', 'print the addresses and the token as one line of JSON')
    .addHelpText('after', examples)
    .action((forge: string, files: readonly string[], options: GitHubOptions) =>
      forge === 'github' ? emulateGitHub(files, options) : emulateBitbucket(refuseForGitHub(files, options)),
    )
}

/** Returns the options that Bitbucket's emulator has. */
function refuseForGitHub(files: readonly string[], { ghes, app, ...options }: GitHubOptions): ServeOptions {
  const given = [files.length > 0 && 'Workflow files', ghes && '--ghes', app !== undefined && '--app']
  const [first] = given.filter((each) => typeof each === 'string')
  if (first === undefined) return options
  throw new CliFailure({
    code: 'option-unsuitable',
    sentence: `${first} ${first.startsWith('--') ? 'is' : 'are'} for the emulated GitHub only.`,
    next: 'Omit this argument. Queue steps with the address that the command prints.',
  })
}

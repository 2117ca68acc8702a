// The program of the controller's image: `dayfly` with the command `controller` alone.
import { runProgram } from '@dayfly/command-line/run-program'

process.exitCode = await runProgram(
  {
    title: 'the controller of ephemeral CI runners on Kubernetes',
    commands: {
      controller: {
        group: 'operate',
        summary: 'run the controller on a Kubernetes cluster',
        load: async () => (await import('./command/controller.ts')).controllerCommand(),
      },
    },
    examples: [['controller --help', 'show the options']],
  },
  process.argv.slice(2),
)

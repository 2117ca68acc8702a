// The program of the package @dayfly/doctor: `dayfly` with the command `doctor` alone.
import { runProgram } from '@dayfly/command-line/run-program'

process.exitCode = await runProgram(
  {
    title: 'the doctor of CI runners on Kubernetes',
    commands: {
      doctor: {
        group: 'check',
        summary: 'find, explain and fix errors that make CI runners hang, leak or fail',
        load: async () => (await import('./command/doctor.ts')).doctorCommand(),
      },
    },
    examples: [
      ['doctor .', 'check the manifests in this directory'],
      ['doctor --live', 'examine the cluster of your kubeconfig'],
    ],
  },
  process.argv.slice(2),
)

// The program `dayfly-doctor` of the package @dayfly/doctor: the command `doctor` alone.
import { runCommand } from '@dayfly/command-line/run-program'
import { doctorCommand } from './command/doctor.ts'

process.exitCode = await runCommand(doctorCommand(), 'doctor', process.argv.slice(2))

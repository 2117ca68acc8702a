// The words that start the doctor's command, for texts that name a command to run.
import { commandName } from '@dayfly/command-line/program-name'

/** Is `dayfly doctor`, or `dayfly-doctor` in the program of the package @dayfly/doctor. */
export const doctorName: string = commandName('doctor')

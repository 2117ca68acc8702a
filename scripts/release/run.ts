// Runs the programs of a release: crane, helm, cosign, npm. A failure names the command and shows its last lines.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { ReleaseFailure } from './failure.ts'

const execute = promisify(execFile)

export type Output = { readonly stdout: string; readonly stderr: string }

/** Runs a program to its end. @param environment adds to the environment of this process */
export async function run(
  program: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Output> {
  try {
    const env = { ...process.env, ...environment }
    const running = execute(program, args, { env, maxBuffer: 64 * 1024 * 1024 })
    // cosign would wait forever for the password of a key.
    running.child.stdin?.end()
    return await running
  } catch (error) {
    const { stdout = '', stderr = '', message } = error as Partial<Output> & Error
    const said = (stderr.trim() || stdout.trim() || message).split('\n').slice(-5).join('\n  ')
    const name = program.slice(program.lastIndexOf('/') + 1)
    throw new ReleaseFailure(
      `${name}-failed`,
      `${name} ${args.slice(0, 2).join(' ')} failed:\n  ${said}`,
      'Correct what the program reports, and run the release again.',
    )
  }
}

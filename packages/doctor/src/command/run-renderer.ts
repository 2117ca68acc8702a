// Runs the operator's own helm, kustomize or kubectl, with a time bound, and ends it when the operator cancels.
import { spawn } from 'node:child_process'
import { CliFailure } from '@dayfly/command-line/failure'
import { listenForInterruption } from '@dayfly/command-line/interruption'
import { systemClock } from '@dayfly/kit/system'
import { doctorName } from '../doctor-name.ts'

/** Milliseconds. A chart from a registry is downloaded within it. */
const patience = 120_000
const bytesMax = 64 * 1024 * 1024

export type RendererRun = { readonly is: 'done'; readonly output: string } | { readonly is: 'absent' } | Failed
type Failed = { readonly is: 'failed'; readonly why: string; readonly stderr: string }

/** Throws the interruption if the operator cancels. */
export async function runRenderer(program: string, args: readonly string[], timeMax = patience): Promise<RendererRun> {
  const interruption = listenForInterruption(({ exitCode }) => process.exit(exitCode))
  try {
    return await run(program, args, { timeMax, signal: interruption.signal })
  } finally {
    interruption.release()
  }
}

function run(program: string, args: readonly string[], { timeMax, signal }: Bounds): Promise<RendererRun> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] })
    // The `timeout` of spawn would keep this process alive if the program does not exist.
    const timer = systemClock().after(timeMax, () => child.kill('SIGKILL'))
    const output: Buffer[] = []
    let size = 0
    let stderr = ''
    const cancel = () => child.kill('SIGTERM')
    signal.addEventListener('abort', cancel, { once: true })
    child.stdout.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > bytesMax) child.kill('SIGKILL')
      else output.push(chunk)
    })
    child.stderr.on('data', (chunk: Buffer) => (stderr = (stderr + chunk).slice(-8_000)))
    child.on('error', (error: NodeJS.ErrnoException) => {
      timer.cancel()
      if (error.code === 'ENOENT') resolve({ is: 'absent' })
      else resolve({ is: 'failed', why: error.message, stderr })
    })
    child.on('close', (code, ended) => {
      timer.cancel()
      signal.removeEventListener('abort', cancel)
      if (signal.aborted) reject(signal.reason)
      else if (code === 0) resolve({ is: 'done', output: Buffer.concat(output).toString('utf8') })
      else if (size > bytesMax)
        resolve({ is: 'failed', why: `it wrote more than ${bytesMax / 1024 / 1024} MiB`, stderr })
      else if (ended === 'SIGKILL') resolve({ is: 'failed', why: `it did not end within ${timeMax / 1000} s`, stderr })
      else resolve({ is: 'failed', why: `it ended with ${code ?? ended}`, stderr })
    })
  })
}

type Bounds = { readonly timeMax: number; readonly signal: AbortSignal }

/** Shows the program's own words, because they name the line of the template or the missing file. */
export function rendererFailure(command: string, { why, stderr }: Failed): CliFailure {
  const own = stderr.trim()
  return new CliFailure({
    code: 'render-failed',
    sentence: `${command} failed: ${why}.${own === '' ? '' : `\n${own.replace(/^/gm, '  | ')}`}`,
    next: `Correct it until "${command}" succeeds on its own; "${doctorName}" reads its output as it is.`,
  })
}

// KEDA's scalers for CI jobs as a program. Their files are compiled from Go's module cache against KEDA's own module, without the other scalers,
// which need the clients of many clouds.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFile, copyFile, mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { numberAt, textAt } from '@dayfly/kit/read-json'
import { downloadModule, runGo } from '../../scripts/control-plane/go.ts'

export const kedaVersion = '2.21.0'

export type Trigger = {
  readonly type: 'github-runner' | 'forgejo-runner'
  readonly metadata: Readonly<Record<string, string>>
  readonly authParams: Readonly<Record<string, string>>
}

/** `jobs`: for how many jobs KEDA wants a runner. */
type Seen = { readonly jobs: number | undefined; readonly error: string | undefined }

export interface KedaScaler {
  /** Lets a new scaler poll once. */
  poll(trigger: Trigger): Promise<Seen>
  close(): Promise<void>
}

const files = ['scaler.go', 'github_runner_scaler.go', 'forgejo_runner_scaler.go']

/** Builds the program in the folder and starts it. Rejects if KEDA cannot be downloaded. */
export async function openKedaScaler(folder: string, signal: AbortSignal): Promise<KedaScaler> {
  const module = await downloadModule(`github.com/kedacore/keda/v2@v${kedaVersion}`, signal)
  if (module.is === 'missing') throw new Error(module.why)
  await mkdir(path.join(folder, 'scalers'))
  const copy = (from: string, to: string) => copyFile(from, path.join(folder, to))
  for (const file of files) await copy(path.join(module.folder, 'pkg/scalers', file), `scalers/${file}`)
  // KEDA keeps this constant in the scaler of a cloud.
  await writeFile(
    path.join(folder, 'scalers/constant.go'),
    'package scalers\n\nconst externalMetricType = "External"\n',
  )
  await copy(path.join(import.meta.dirname, 'main.go'), 'main.go')
  // KEDA's own versions and replacements hold for the program, too.
  await copy(path.join(module.folder, 'go.mod'), 'go.mod')
  await copy(path.join(module.folder, 'go.sum'), 'go.sum')
  await appendFile(path.join(folder, 'go.mod'), `\nrequire github.com/kedacore/keda/v2 v${kedaVersion}\n`)
  const options = { cwd: folder, signal }
  const program = path.join(folder, 'keda-scaler')
  for (const words of [
    ['mod', 'edit', '-module', 'dayfly.dev/bench/keda'],
    ['build', '-mod=mod', '-o', program, '.'],
  ]) {
    const missing = await runGo(words, options)
    if (missing) throw new Error(missing.why)
  }
  return start(program)
}

function start(program: string): KedaScaler {
  const child = spawn(program, { stdio: ['pipe', 'pipe', 'inherit'] })
  const ended = once(child, 'exit')
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  return {
    poll: async (trigger) => {
      child.stdin.write(`${JSON.stringify(trigger)}\n`)
      const { value, done } = await lines.next()
      if (done) throw new Error("KEDA's scaler has ended")
      const seen: unknown = JSON.parse(value)
      const error = textAt(seen, 'error')
      return { jobs: error === undefined ? numberAt(seen, 'jobs') : undefined, error }
    },
    close: async () => {
      child.stdin.end()
      await ended
    },
  }
}

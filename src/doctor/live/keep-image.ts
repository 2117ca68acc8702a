// Keeps what an object was before it is changed, one JSON document a line, so that it can be made again.
import { appendFile } from 'node:fs/promises'
import type { KubeObject } from '../../kubernetes/types.ts'
import type { Step } from './step.ts'

/** For `repair`: appends to the file, which only its owner may read. Rejects when it cannot be written; then the step is not done. */
export function keepImagesIn(file: string): (step: Step, image: KubeObject) => Promise<void> {
  return async ({ id, rule }, image) => {
    await appendFile(file, `${JSON.stringify({ step: id, rule, image })}\n`, { mode: 0o600, flush: true })
  }
}

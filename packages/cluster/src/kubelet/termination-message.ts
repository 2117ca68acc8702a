// Reads why a container ended: from the file that it wrote, or from the end of its log (Kubernetes: getTerminationMessage).
import type { ContainerEnd } from '../runtime/runtime.ts'
import type { PodContext } from './context.ts'
import { type ContainerRecord, idOf } from './record.ts'

const logLinesMax = 80
const logBytesMax = 2_048

/** Returns the message of the runtime, or the end of the log of a failed container that asks for it. */
export async function terminationMessage(
  { runtime, pod, until }: PodContext,
  record: ContainerRecord,
  { exitCode, message }: ContainerEnd,
): Promise<string | undefined> {
  const isFromLog = record.spec.terminationMessagePolicy === 'FallbackToLogsOnError'
  if (message !== undefined || exitCode === 0 || !isFromLog) return message
  const options = { follow: false, timestamps: false, since: undefined, limitBytes: undefined }
  const parts: string[] = []
  for await (const part of runtime.logs(idOf(pod(), record), { ...options, tailLines: logLinesMax }, until)) {
    parts.push(part)
  }
  const bytes = Buffer.from(parts.join(''))
  return bytes.subarray(Math.max(0, bytes.length - logBytesMax)).toString('utf8') || undefined
}

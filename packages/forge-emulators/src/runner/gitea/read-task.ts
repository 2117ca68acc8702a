// Validates a task by hand. The runner must start fast, so it has no schema library.
import { isJsonObject, type JsonObject } from '@dayfly/kit/read-json'
import type { Conclusion } from '../../job.ts'

export type Task = {
  readonly id: string
  /** A workflow in YAML with exactly one job. */
  readonly workflow: Buffer
  /** The `github` context, with the job's token. */
  readonly context: JsonObject
  readonly secrets: Readonly<Record<string, string>>
  readonly vars: Readonly<Record<string, string>>
  readonly needs: Readonly<Record<string, Need>>
}

type Need = { readonly result: Conclusion; readonly outputs: Readonly<Record<string, string>> }

/** The words of the protocol for a result. */
const results = [
  ['success', 'RESULT_SUCCESS'],
  ['failure', 'RESULT_FAILURE'],
  ['cancelled', 'RESULT_CANCELLED'],
  ['skipped', 'RESULT_SKIPPED'],
] as const satisfies readonly (readonly [Conclusion, string])[]

export type Result = (typeof results)[number][1] | 'RESULT_UNSPECIFIED'

export function resultOf(conclusion: Conclusion): Result {
  return results.find(([each]) => each === conclusion)?.[1] ?? 'RESULT_UNSPECIFIED'
}

/** Returns undefined if the value is not a valid task. A member that is absent is empty, as everywhere in the protocol. */
export function readTask(value: unknown): Task | undefined {
  if (!isJsonObject(value)) return undefined
  const { id, workflowPayload, context = {}, secrets = {}, vars = {}, needs = {} } = value
  if (typeof id !== 'string' || typeof workflowPayload !== 'string' || !isJsonObject(context)) return undefined
  if (!isTexts(secrets) || !isTexts(vars) || !isJsonObject(needs)) return undefined
  const read = Object.entries(needs).map(([key, need]) => [key, readNeed(need)] as const)
  return {
    id,
    workflow: Buffer.from(workflowPayload, 'base64'),
    context,
    secrets,
    vars,
    needs: Object.fromEntries(read),
  }
}

function readNeed(value: unknown): Need {
  const { result, outputs = {} } = isJsonObject(value) ? value : {}
  const [conclusion = 'skipped'] = results.find(([, name]) => name === result) ?? []
  return { result: conclusion, outputs: isTexts(outputs) ? outputs : {} }
}

function isTexts(value: unknown): value is Readonly<Record<string, string>> {
  return isJsonObject(value) && Object.values(value).every((item) => typeof item === 'string')
}

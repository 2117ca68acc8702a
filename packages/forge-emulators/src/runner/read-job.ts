// Validates the job message by hand. The runner must start fast, so it has no schema library.
import { isJsonObject } from '@dayfly/kit/read-json'
import type { RunnerJob, RunnerStep } from '../job.ts'

/** Returns undefined if the value is not a valid job message. */
export function readJob(value: Readonly<Record<string, unknown>>): RunnerJob | undefined {
  const { jobId, key, name, contexts, env, defaults, timeoutMinutes, outputs, steps } = value
  const texts = [jobId, key, name].every((text) => typeof text === 'string')
  const lists = Array.isArray(env) && env.every(isTexts) && Array.isArray(steps) && steps.every(isStep)
  const rest =
    isJsonObject(contexts) && isJsonObject(defaults) && isTexts(outputs) && typeof timeoutMinutes === 'number'
  return texts && lists && rest ? (value as RunnerJob) : undefined
}

function isStep(value: unknown): value is RunnerStep {
  if (!isJsonObject(value) || !isTexts(value['env'])) return false
  if (![value['id'], value['name'], value['if']].every((text) => typeof text === 'string')) return false
  if (value['kind'] === 'run') return typeof value['run'] === 'string'
  return value['kind'] === 'checkout' || (value['kind'] === 'unsupported' && typeof value['uses'] === 'string')
}

function isTexts(value: unknown): boolean {
  return isJsonObject(value) && Object.values(value).every((item) => typeof item === 'string')
}

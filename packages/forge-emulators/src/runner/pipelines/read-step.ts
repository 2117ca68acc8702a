// Validates the message with a step by hand. The runner must start fast, so it has no schema library.
import { isJsonObject } from '@dayfly/kit/read-json'
import type { StepMessage } from '../../step.ts'

/** Returns undefined if the value is not a valid message. */
export function readStep(value: Readonly<Record<string, unknown>>): StepMessage | undefined {
  const { accountUuid, repositoryUuid, pipelineUuid, stepUuid, script, afterScript, maxTimeMinutes } = value
  const { variables, source } = value
  // The UUID of the step is the name of its folder.
  const isStep = typeof stepUuid === 'string' && /^\{[0-9a-f-]{36}\}$/.test(stepUuid)
  const isKnown = [accountUuid, repositoryUuid, pipelineUuid].every((text) => typeof text === 'string')
  const isWork =
    isTexts(script) && isTexts(afterScript) && typeof maxTimeMinutes === 'number' && isJsonObject(variables)
  const isClone = source === undefined || (isJsonObject(source) && isTexts([source['repository'], source['commit']]))
  return isStep && isKnown && isWork && isTexts(Object.values(variables)) && isClone
    ? (value as StepMessage)
    : undefined
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
}

// The words of the forges in the words of the semantic conventions.
import {
  CICD_PIPELINE_RESULT_VALUE_CANCELLATION,
  CICD_PIPELINE_RESULT_VALUE_ERROR,
  CICD_PIPELINE_RESULT_VALUE_FAILURE,
  CICD_PIPELINE_RESULT_VALUE_SKIP,
  CICD_PIPELINE_RESULT_VALUE_SUCCESS,
} from '@opentelemetry/semantic-conventions/incubating'

/** The conventions have the same words for a pipeline and for a task. */
export const result = {
  success: CICD_PIPELINE_RESULT_VALUE_SUCCESS,
  failure: CICD_PIPELINE_RESULT_VALUE_FAILURE,
  error: CICD_PIPELINE_RESULT_VALUE_ERROR,
  cancellation: CICD_PIPELINE_RESULT_VALUE_CANCELLATION,
  skip: CICD_PIPELINE_RESULT_VALUE_SKIP,
  /** The conventions have no word for a result that the forge does not report. */
  unknown: 'unknown',
} as const

export type Result = (typeof result)[keyof typeof result]

const words: ReadonlyMap<string, Result> = new Map([
  ['succeeded', result.success],
  ['failed', result.failure],
  ['canceled', result.cancellation],
  ['skipped', result.skip],
  // GitHub lost contact with the runner.
  ['abandoned', result.error],
])

/** @param word the forge's own word for the end of a job */
export function resultOf(word: string): Result {
  return words.get(word) ?? result.unknown
}

export function isBad(of: Result): boolean {
  return of === result.failure || of === result.error
}

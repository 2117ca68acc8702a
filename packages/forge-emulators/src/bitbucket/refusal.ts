// The refusals of Bitbucket's API (docs/reference/bitbucket.md#s2-2).
import { type Answer, jsonAnswer } from '@dayfly/kit/http'
import { Refusal } from '../server/refusal.ts'

export function bitbucketError(status: number, message: string, headers: Answer['headers'] = {}): Refusal {
  return new Refusal(jsonAnswer(status, { type: 'error', error: { message } }, headers))
}

export function noSuchRunner(): Refusal {
  return bitbucketError(404, 'The runner does not exist.')
}

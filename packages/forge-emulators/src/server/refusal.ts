// A refused request. Routes throw it with a response in the format of their API.
import type { Answer } from '@dayfly/kit/http'

export class Refusal extends Error {
  readonly answer: Answer

  constructor(answer: Answer) {
    super(`refused with ${answer.status}`)
    this.answer = answer
  }
}

// A source of the credential with which we ask GitHub for registration tokens: a token of the operator, or an App.
import type { Answer } from '@dayfly/kit/http'
import type { Budget } from '../calls/budget.ts'
import type { RestApi } from '../calls/rest.ts'
import type { RetryPolicy } from '../calls/retry.ts'

export type SourceHow = { readonly policy: RetryPolicy; readonly signal: AbortSignal }

export interface Source {
  /** Names the source in messages, for example `The App 123 (github_app_id)`. */
  readonly title: string
  readonly budget: Budget
  readonly api: RestApi
  /** Returns a token that is valid for some minutes. Rejects with `credential-refused` or `rate-limited`, among others. */
  bearer(how: SourceHow): Promise<string>
  /** GitHub refused this bearer. Returns whether the next one may be better. */
  forget(bearer: string): boolean
  /** Says what GitHub needs to allow the registration that it refused with this response. */
  advice(answer: Answer): string
}

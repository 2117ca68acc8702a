// All calls in the order in which they are played. Later calls see the objects of earlier ones.
import { applyCalls } from './apply-calls.fixture.ts'
import type { Call } from './call.fixture.ts'
import { classCalls } from './class-calls.fixture.ts'
import { customCalls } from './custom-calls.fixture.ts'
import { eventCalls } from './event-calls.fixture.ts'
import { jobCalls } from './job-calls.fixture.ts'
import { lifeCalls } from './life-calls.fixture.ts'
import { otherCalls } from './other-calls.fixture.ts'
import { podCalls } from './pod-calls.fixture.ts'
import { quotaCalls } from './quota-calls.fixture.ts'

export const calls: readonly Call[] = [
  ...podCalls,
  ...lifeCalls,
  ...otherCalls,
  ...customCalls,
  ...jobCalls,
  ...applyCalls,
  ...quotaCalls,
  ...eventCalls,
  ...classCalls,
]

// All calls in the order in which they are played. Later calls see the objects of earlier ones.
import type { Call } from './call.ts'
import { customCalls } from './custom-calls.ts'
import { jobCalls } from './job-calls.ts'
import { lifeCalls } from './life-calls.ts'
import { otherCalls } from './other-calls.ts'
import { podCalls } from './pod-calls.ts'

export const calls: readonly Call[] = [...podCalls, ...lifeCalls, ...otherCalls, ...customCalls, ...jobCalls]

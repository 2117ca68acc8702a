// Every checker.
import { age } from './age.ts'
import { busyRunner } from './busy-runner.ts'
import { capacity } from './capacity.ts'
import { ceiling } from './ceiling.ts'
import type { Checker } from './checker.ts'
import { jobs } from './jobs.ts'
import { messages } from './messages.ts'
import { oneLeader } from './one-leader.ts'
import { pool } from './pool.ts'
import { reruns } from './reruns.ts'
import { rest } from './rest.ts'
import { strangers } from './strangers.ts'
import { usedOnce } from './used-once.ts'
import { waitingJobs } from './waiting-jobs.ts'

export const checkers: readonly Checker[] = [
  busyRunner,
  usedOnce,
  ceiling,
  pool,
  capacity,
  oneLeader,
  jobs,
  reruns,
  messages,
  strangers,
  rest,
  age,
  waitingJobs,
]

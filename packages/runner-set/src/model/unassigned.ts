// Jobs that wait although runners are online.
import type { Instant } from '@dayfly/kit/clock'

/** How many jobs wait, how many runners the forge sees online without a job, and since when both is true and no runner has got a job. */
export type Unassigned = { readonly jobs: number; readonly runners: number; readonly since: Instant }

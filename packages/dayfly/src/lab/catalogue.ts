// The incidents that the lab reproduces.
import type { Incident } from './incident.ts'
import { forgeAssignsNothing } from './incidents/forge-assigns-nothing.ts'
import { forgeFailsAnHour } from './incidents/forge-fails-an-hour.ts'
import { forgeQueueDelayed } from './incidents/forge-queue-delayed.ts'
import { forgeRemovesIdle } from './incidents/forge-removes-idle.ts'
import { podgcLoop } from './incidents/podgc-loop.ts'
import { silentRejection } from './incidents/silent-rejection.ts'
import { stuckHook } from './incidents/stuck-hook.ts'
import { stuckUninstall } from './incidents/stuck-uninstall.ts'
import { zombiePod } from './incidents/zombie-pod.ts'

export const incidents: readonly Incident[] = [
  zombiePod,
  silentRejection,
  podgcLoop,
  stuckHook,
  stuckUninstall,
  forgeAssignsNothing,
  forgeRemovesIdle,
  forgeQueueDelayed,
  forgeFailsAnHour,
]

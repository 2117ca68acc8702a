// The incidents that the lab reproduces.
import type { Incident } from './incident.ts'
import { podgcLoop } from './incidents/podgc-loop.ts'
import { silentRejection } from './incidents/silent-rejection.ts'
import { stuckHook } from './incidents/stuck-hook.ts'
import { stuckUninstall } from './incidents/stuck-uninstall.ts'
import { zombiePod } from './incidents/zombie-pod.ts'

export const incidents: readonly Incident[] = [zombiePod, silentRejection, podgcLoop, stuckHook, stuckUninstall]

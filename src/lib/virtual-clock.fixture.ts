// The name by which tests import the virtual clock.
export { stopwatchOf, type VirtualClock, virtualClock } from './virtual-clock.ts'

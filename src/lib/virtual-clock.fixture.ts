// The name by which tests import the virtual clock.
export { type VirtualClock, virtualClock } from './virtual-clock.ts'

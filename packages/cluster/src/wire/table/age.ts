// Ages in kubectl's format: two or three significant figures.
import type { Instant } from '@dayfly/kit/clock'

/**
 * Returns the time since an RFC 3339 timestamp in kubectl's format (HumanDuration), or `<unknown>` without one.
 * Source:
 * https://github.com/kubernetes/kubernetes/blob/release-1.36/staging/src/k8s.io/apimachinery/pkg/util/duration/duration.go
 */
export function age(stamp: unknown, now: Instant): string {
  if (typeof stamp !== 'string' || stamp === '') return '<unknown>'
  const at = Date.parse(stamp)
  return Number.isNaN(at) ? '<invalid>' : humanDuration(now - at)
}

/** @param ms may be slightly negative, because the clocks of two machines differ. */
export function humanDuration(ms: number): string {
  const seconds = Math.trunc(ms / 1000)
  if (seconds < -1) return '<invalid>'
  if (seconds < 0) return '0s'
  if (seconds < 120) return `${seconds}s`
  const minutes = Math.trunc(seconds / 60)
  if (minutes < 10) return pair(minutes, 'm', seconds % 60, 's')
  if (minutes < 180) return `${minutes}m`
  const hours = Math.trunc(minutes / 60)
  if (hours < 8) return pair(hours, 'h', minutes % 60, 'm')
  if (hours < 48) return `${hours}h`
  const days = Math.trunc(hours / 24)
  if (days < 8) return pair(days, 'd', hours % 24, 'h')
  if (days < 730) return `${days}d`
  const years = Math.trunc(days / 365)
  return years < 8 ? pair(years, 'y', days % 365, 'd') : `${years}y`
}

function pair(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large}${largeUnit}` : `${large}${largeUnit}${small}${smallUnit}`
}

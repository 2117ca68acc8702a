// The ResourceQuotas of all namespaces, from one watch.
import type { Instant } from '@dayfly/kit/clock'
import type { ReflectorSink } from '@dayfly/kubernetes/reflector'
import type { Quotas } from '@dayfly/runner-set/model/quota'
import type { ObservedQuota } from './observe/quota.ts'
import { faultOf } from './watch-health.ts'

export class QuotaCache implements ReflectorSink<ObservedQuota> {
  readonly #changed: (namespace?: string) => void
  /** The keys are namespace and name. */
  #quotas = new Map<string, ObservedQuota>()
  #read: 'unread' | 'unreadable' | 'read' = 'unread'

  /** @param changed is called after each change, with the namespace if only its quotas changed */
  constructor(changed: (namespace?: string) => void) {
    this.#changed = changed
  }

  of(namespace: string): Quotas {
    if (this.#read !== 'read') return this.#read
    return [...this.#quotas.values()].filter((quota) => quota.namespace === namespace)
  }

  replaced(items: readonly ObservedQuota[]): void {
    this.#read = 'read'
    this.#quotas = new Map(items.map((quota) => [keyOf(quota), quota]))
    this.#changed()
  }

  changed(quota: ObservedQuota): void {
    this.#quotas.set(keyOf(quota), quota)
    this.#changed(quota.namespace)
  }

  removed(quota: ObservedQuota): void {
    this.#quotas.delete(keyOf(quota))
    this.#changed(quota.namespace)
  }

  progressed(): void {}

  /** Without the right to read quotas, refused pods show what they allow. An outage is over some time. */
  stale(_since: Instant, _why: string, error: unknown): void {
    if (this.#read === 'read' || faultOf(error) !== 'installation') return
    this.#read = 'unreadable'
    this.#changed()
  }
}

function keyOf({ namespace, name }: ObservedQuota): string {
  return `${namespace}/${name}`
}

// Subscribes to the objects of every kind, including kinds that are defined later.
import type { Clock } from '@dayfly/kit/clock'
import type { Registry } from '../api/registry.ts'
import type { StoreEvent } from '../store/event-ring.ts'
import type { ResourceKey } from '../store/object.ts'
import { startLoop } from './loop.ts'

/** Reports every change from now on. Returns a function that stops it. */
export function subscribeAll(
  registry: Registry,
  clock: Clock,
  listener: (resource: ResourceKey, event: StoreEvent) => void,
): () => void {
  const followed = new Map<ResourceKey, () => void>()
  const follow = () => {
    for (const { resource } of registry.kinds.all()) {
      if (followed.has(resource)) continue
      followed.set(
        resource,
        registry.subscribe(resource, (event) => listener(resource, event)),
      )
    }
  }
  follow()
  const loop = startLoop(clock, follow)
  const stopDefinitions = registry.subscribe('customresourcedefinitions.apiextensions.k8s.io', () => loop.add('kinds'))
  return () => {
    stopDefinitions()
    loop.stop()
    for (const stop of followed.values()) stop()
  }
}

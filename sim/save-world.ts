// Saves a world.
import { savePrints } from './checkers/prints.ts'
import type { SavedWorld } from './saved-world.ts'
import type { World } from './world.ts'

/** Throws while GitHub has a runner, a session or an open job. */
export function saveWorld({ clock, registry, github, started, prints }: World): SavedWorld {
  const objects = registry.kinds
    .all()
    .flatMap(({ resource }) => registry.list(resource).map((object) => ({ resource, object })))
  return {
    at: clock.now(),
    cluster: { revision: registry.revision(), objects },
    github: github.control.keep(),
    started: started(),
    prints: savePrints(prints),
  }
}

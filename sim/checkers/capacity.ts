// A set never announces more than its maximum to GitHub, and never 0: GitHub loses the jobs of a set that announces 0.
import { textAt } from '@dayfly/kit/read-json'
import type { Checker } from './checker.ts'
import { followMaxima } from './maxima.ts'

const session = /\/runnerscalesets\/\d+\/sessions(\/[^/]+)?$/

export const capacity: Checker = {
  name: 'capacity',
  watch: (world, broken) => {
    const { observers } = world
    // A session of a set that was deleted may poll on for a moment, so the key is the name.
    const maxOf = followMaxima(world, ({ metadata }) => metadata.name)
    const setOf = new Map<string, string>()
    observers.answered.add((_identity, server, { path }, { body }) => {
      if (server !== 'forge' || body.kind !== 'json' || !session.test(path)) return
      const token = textAt(body.value, 'messageQueueAccessToken')
      const set = textAt(body.value, 'runnerScaleSet', 'name')
      if (token !== undefined && set !== undefined) setOf.set(`Bearer ${token}`, set)
    })
    observers.sent.add((identity, server, { headers }) => {
      const announced = server === 'forge' ? headers['x-scalesetmaxcapacity'] : undefined
      if (announced === undefined) return
      const set = setOf.get(headers['authorization'] ?? '') ?? ''
      const max = Math.max(1, maxOf(set) ?? 0)
      if (Number(announced) > max || Number(announced) < 1)
        broken(`${identity} announces ${announced} runners for ${set}, and its maximum is ${max}`)
    })
  },
}

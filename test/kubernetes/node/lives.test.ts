// Plays the lives of pods on a real node and compares them with the recorded ones. `vitest -u` records them again.
import { readFileSync } from 'node:fs'
import { lives, nodeOnly } from '@dayfly/cluster/kubelet/recorded/lives.fixture'
import { playLives } from '@dayfly/cluster/kubelet/recorded/play-life.fixture'
import { randomName } from '@dayfly/kit/ids'
import { describe, expect, it } from 'vitest'
import { clock, random } from '../client-place.ts'
import { nodeKubeconfig, openNode, whyNoNode } from './open-node.ts'

const recording = new URL('../../../packages/cluster/src/kubelet/recorded/lives.jsonl', import.meta.url)

/** How often a life is played that differs from its recording: a loaded node restarts a container once more than a quiet one. */
const tries = 3

describe('the recorded lives of pods', () => {
  it('match those on a real node', async (context) => {
    if (!nodeKubeconfig) return context.skip(whyNoNode)
    const node = await openNode(nodeKubeconfig)
    const recorded = new Set(readFileSync(recording, 'utf8').split('\n'))
    const played = new Map<string, string>()
    try {
      let open = [...lives, ...nodeOnly]
      for (let round = 0; round < tries && open.length > 0; round++) {
        const namespace = await node.enter(`lives-${randomName(random, 5)}`)
        const { transport } = node
        const results = await playLives(open, { transport, clock, namespace, width: 6 })
        for (const life of results) played.set(life.name, JSON.stringify(life))
        open = open.filter(({ name }) => !recorded.has(played.get(name) ?? ''))
      }
      await expect(`${[...played.values()].join('\n')}\n`).toMatchFileSnapshot(recording.pathname)
    } finally {
      await node.close()
    }
  })
})

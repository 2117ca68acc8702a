// Plays the lives of pods on a real node and compares them with the recorded ones. `vitest -u` records them again.
import { describe, expect, it } from 'vitest'
import { lives, nodeOnly } from '../../../src/embedded/kubelet/recorded/lives.fixture.ts'
import { playLives } from '../../../src/embedded/kubelet/recorded/play-life.fixture.ts'
import { randomName } from '../../../src/lib/ids.ts'
import { clock, random } from '../client-place.ts'
import { nodeKubeconfig, openNode, whyNoNode } from './open-node.ts'

const recording = new URL('../../../src/embedded/kubelet/recorded/lives.jsonl', import.meta.url)

describe('the recorded lives of pods', () => {
  it('match those on a real node', async (context) => {
    if (!nodeKubeconfig) return context.skip(whyNoNode)
    const node = await openNode(nodeKubeconfig)
    try {
      const namespace = await node.enter(`lives-${randomName(random, 5)}`)
      const { transport } = node
      const played = await playLives([...lives, ...nodeOnly], { transport, clock, namespace, width: 6 })
      const lines = played.map((each) => JSON.stringify(each))
      await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot(recording.pathname)
    } finally {
      await node.close()
    }
  })
})

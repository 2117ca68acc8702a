// The acceptance of templates on the embedded API server. test/kubernetes/template-acceptance.test.ts compares it with a real one.
import { expect, it } from 'vitest'
import { embeddedKubernetes } from '../cluster/embedded-kubernetes.ts'
import { judge, sameEverywhere } from './template-verdict.ts'

it.each(sameEverywhere)('judges %s', async (_name, over, reason, message) => {
  const judgement = await judge(embeddedKubernetes('ci'), 'ci', over)
  if (reason === undefined) expect(judgement).toEqual({ is: 'accepted', warnings: [] })
  else {
    expect(judgement).toMatchObject({ is: 'refused', reason, message: expect.stringMatching(message) })
    expect(judgement).toHaveProperty('next', expect.stringMatching(/^[A-Z].+\.$/))
  }
})

import { emptyValues, keySet } from '@dayfly/kit/json-bytes'
import { expect, it } from 'vitest'
import { podText } from '../../../../bench/client-pods.ts'
import { observePod } from './pod-facts.ts'
import { type PodObject, unreadOfPods } from './pod-object.ts'

it('a pod shows the same without what nothing reads', () => {
  const states = [
    '"running":{"startedAt":"2026-11-21T08:00:05Z"}',
    '"waiting":{"reason":"ImagePullBackOff","message":"no such image"}',
    '"terminated":{"exitCode":137,"reason":"OOMKilled","finishedAt":"2026-11-21T09:00:00Z"}',
  ]
  for (const state of states) {
    const text = podText(7, 1_000, 'Running').replaceAll(states[0] ?? '', state)
    const short = emptyValues(Buffer.from(text), keySet(unreadOfPods)).toString()
    expect(short.length).toBeLessThan(text.length / 2)
    const facts = observePod(JSON.parse(text) as PodObject)
    expect(facts).toBeDefined()
    expect(observePod(JSON.parse(short) as PodObject)).toEqual(facts)
  }
})

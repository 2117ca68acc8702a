import { describe, expect, it } from 'vitest'
import { createFingerprints } from './fingerprints.ts'

describe('fingerprints', () => {
  it('know each of many similar texts, and no other one', () => {
    const prints = createFingerprints()
    const texts = Array.from({ length: 50_000 }, (_, index) => `linux-1-abcde-${index}`)
    expect(texts.filter((text) => prints.seen(text))).toEqual([])
    expect(texts.filter((text) => !prints.seen(text))).toEqual([])
    expect(prints.seen('linux-1-abcde-50000')).toBe(false)
  })

  it('differ for texts that differ in one late character', () => {
    const prints = createFingerprints()
    const start = 'x'.repeat(3_000)
    expect(['a', 'b', 'aa', ''].map((end) => prints.seen(start + end))).toEqual([false, false, false, false])
  })
})

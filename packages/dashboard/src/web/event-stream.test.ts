import { describe, expect, it } from 'vitest'
import { eventParser } from './event-stream.ts'

const text = ': hello\nid: 7\nevent: changes\ndata: {"a":\ndata: 1}\n\r\ndata:x\r\rdata\n\nevent: beat\ndata: 5\n\n'
const events = [
  { event: 'changes', data: '{"a":\n1}', id: '7' },
  { event: 'message', data: 'x', id: null },
  { event: 'message', data: '', id: null },
  { event: 'beat', data: '5', id: null },
]

describe('the parser of server-sent events', () => {
  it('finds the same events in pieces of any size', () => {
    for (let size = 1; size <= text.length; size++) {
      const parse = eventParser()
      const found = []
      for (let at = 0; at < text.length; at += size) found.push(...parse(text.slice(at, at + size)))
      expect(found).toEqual(events)
    }
  })

  it('keeps an event back until its empty line', () => {
    const parse = eventParser()
    expect(parse('data: 1\n')).toEqual([])
    expect(parse('\n')).toEqual([{ event: 'message', data: '1', id: null }])
  })

  it('drops an event without data', () => {
    expect(eventParser()('event: beat\n\n:\n\n')).toEqual([])
  })
})

import { describe, expect, it } from 'vitest'
import { findAddress, noFilter, nowAddress, parseRoute, runnerAddress, setAddress, windowAddress } from './route.ts'

describe('addresses', () => {
  it.each([
    ['', { page: 'now', filter: noFilter }],
    ['#/', { page: 'now', filter: noFilter }],
    [setAddress('ci/linux'), { page: 'set', id: 'ci/linux' }],
    [runnerAddress('ci/linux-x1'), { page: 'runner', id: 'ci/linux-x1' }],
    ['#/runner/ci/linux-x1', { page: 'runner', id: 'ci/linux-x1' }],
    ['#/job/octo%2Fweb/8b1c', { page: 'job', address: '#/job/octo%2Fweb/8b1c', id: '8b1c' }],
    [findAddress('a b&c#d'), { page: 'find', query: 'a b&c#d' }],
    ['#/trends', { page: 'trends', window: '1h' }],
    [windowAddress('costs', '7d'), { page: 'costs', window: '7d' }],
    ['#/costs?window=9d', { page: 'costs', window: '1h' }],
    ['#/failures', { page: 'failures' }],
    ['#/set/', { page: 'unknown', address: '#/set/' }],
    ['#/other', { page: 'unknown', address: '#/other' }],
    ['#/set/100%', { page: 'set', id: '100%' }],
  ])('%s', (address, route) => {
    expect(parseRoute(address)).toEqual(route)
  })

  it('hold each filter, so that a link shows the same', () => {
    const filter = { set: 'ci/linux', phase: 'busy', repository: 'a/b', text: 'x & y=1', zoom: '6h' } as const
    expect(nowAddress(filter)).toBe('#/?set=ci%2Flinux&phase=busy&repository=a%2Fb&text=x+%26+y%3D1&zoom=6h')
    expect(parseRoute(nowAddress(filter))).toEqual({ page: 'now', filter })
  })

  it('ignore a phase and a zoom that do not exist', () => {
    expect(parseRoute('#/?phase=dead&zoom=9y')).toEqual({ page: 'now', filter: noFilter })
  })
})

import { expect, test } from 'vitest'
import { listenAddress } from './listen-address.ts'

test.each([
  ['10.0.0.7:8080', '10.0.0.7'],
  ['[fd00::7]:8080', 'fd00::7'],
  // The chart writes $(POD_IP):8080 without knowing the family of the address.
  ['fd00::7:8080', 'fd00::7'],
  ['localhost:8080', 'localhost'],
])('reads %s', (text, host) => {
  expect(listenAddress('--health-address', text)).toEqual({ host, port: 8080 })
})

test.each(['localhost', 'a:b:8080', '10.0.0.7:80800', '[fd00::7]', ':8080'])('refuses %s', (text) => {
  expect(() => listenAddress('--health-address', text)).toThrow('--health-address must be HOST:PORT')
})

import { expect, test } from 'vitest'
import { parseConfigUrl } from './config-url.ts'
import { correctedUrl } from './corrected-url.ts'

test.each([
  ['https://github.com/orgs/acme', 'https://github.com/acme'],
  ['https://github.com/orgs/acme/repositories', 'https://github.com/acme'],
  ['https://github.com/organizations/acme/settings/actions/runners', 'https://github.com/acme'],
  ['https://api.github.com/acme', 'https://github.com/acme'],
  ['https://api.github.com/orgs/acme', 'https://github.com/acme'],
  ['https://api.github.com/repos/acme/shop', 'https://github.com/acme/shop'],
  ['https://api.acme.ghe.com/shop', 'https://acme.ghe.com/shop'],
  ['https://ghes.example/api/v3/orgs/acme', 'https://ghes.example/acme'],
  ['git@github.com:acme/shop.git', 'https://github.com/acme/shop'],
  ['ssh://git@ghes.example:22/acme/shop.git', 'https://ghes.example/acme/shop'],
  ['https://github.com/acme/shop.git', 'https://github.com/acme/shop'],
  ['https://github.com/acme/shop/settings/actions/runners', 'https://github.com/acme/shop'],
  ['https://github.com/acme/shop/tree/main', 'https://github.com/acme/shop'],
  ['https://github.com/enterprises/', 'https://github.com/enterprises/NAME'],
  ['https://github.com/enterprises/acme/settings/actions', 'https://github.com/enterprises/acme'],
  ['github.com/acme', 'https://github.com/acme'],
  ['github.com/orgs/acme', 'https://github.com/acme'],
])('%s is refused, and %s is advised', (text, better) => {
  expect(correctedUrl(text)).toBe(better)
  expect(() => parseConfigUrl(text)).toThrow(`Write ${better}`)
  if (!better.endsWith('NAME')) expect(parseConfigUrl(better).url).toBe(better)
})

test.each([
  'https://github.com/acme',
  'https://github.com/acme/',
  'https://github.com/acme/shop',
  'https://github.com/acme/settings-of-us',
  'https://github.com/enterprises/acme',
  'https://ghes.example:8443/acme/shop',
  'https://acme.ghe.com/shop',
  'http://127.0.0.1:8080/acme',
  'https://user:secret@github.com/orgs/acme',
  'not an address',
])('%s is left alone', (text) => {
  expect(correctedUrl(text)).toBeUndefined()
})

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bypassOf } from './no-proxy.ts'
import { configuredProxy, environmentProxy } from './proxy.ts'
import { SettingError } from './setting-error.ts'

describe('case 22: the environment', () => {
  const environment = {
    HTTPS_PROXY: 'http://secure.test:3128',
    http_proxy: 'plain.test:8080',
    NO_PROXY: 'internal.test, .corp.test',
  }

  test.each([
    ['https://api.github.com', 'http://secure.test:3128'],
    ['http://github.test', 'http://plain.test:8080'],
    ['https://internal.test', undefined],
    ['https://a.internal.test:8443', undefined],
    ['https://ghes.corp.test', undefined],
    ['https://corp.test', 'http://secure.test:3128'],
    ['https://127.0.0.1:9', undefined],
    ['https://localhost:9', undefined],
    ['https://[::1]:9', undefined],
  ])('chooses for %s the proxy %s', (target, name) => {
    expect(environmentProxy(environment)(new URL(target))?.name).toBe(name)
  })

  test('prefers lower case, and uses no proxy without a variable', () => {
    const both = { https_proxy: 'http://lower.test', HTTPS_PROXY: 'http://upper.test' }
    expect(environmentProxy(both)(new URL('https://api.github.com'))?.host).toBe('lower.test')
    expect(environmentProxy({ HTTPS_PROXY: '' })(new URL('https://api.github.com'))).toBeUndefined()
  })

  test('names the variable whose address cannot be used, and never its password', () => {
    const error = caught(() => environmentProxy({ HTTPS_PROXY: 'socks5://joe:s3cret@proxy' }))
    expect(error).toBeInstanceOf(SettingError)
    expect(error.message).toContain('HTTPS_PROXY is not the address of a proxy')
    expect(error.message).not.toContain('s3cret')
  })
})

describe('NO_PROXY', () => {
  test.each([
    ['*', 'https://any.test', true],
    ['Example.com', 'https://EXAMPLE.com', true],
    ['example.com', 'https://sub.example.com', true],
    ['example.com', 'https://notexample.com', false],
    ['.example.com', 'https://example.com', false],
    ['*.example.com', 'https://a.b.example.com', true],
    ['example.com:8443', 'https://example.com:8443', true],
    ['example.com:8443', 'https://example.com', false],
    ['example.com:443', 'https://example.com', true],
    ['example.com.', 'https://example.com', true],
    ['10.0.0.0/8', 'https://10.200.3.4', true],
    ['10.0.0.0/8', 'https://11.0.0.1', false],
    ['10.0.0.0/8', 'https://ten.example.com', false],
    ['10.1.2.3', 'http://10.1.2.3:8080', true],
    ['10.1.2.3:80', 'http://10.1.2.3:8080', false],
    ['fd00::/8', 'https://[fd12::1]', true],
    ['[::1]:443', 'https://[::1]', true],
    ['0:0:0:0:0:0:0:1', 'https://[::1]', true],
    ['10.0.0.0/33', 'https://10.0.0.1', false],
    ['', 'https://example.com', false],
    ['.', 'https://example.com', false],
  ])('%s names %s: %s', (entry, target, expected) => {
    expect(bypassOf([entry])(new URL(target))).toBe(expected)
  })

  test('no entry makes it fail', () => {
    const target = new URL('https://api.github.com')
    fc.assert(fc.property(fc.array(fc.string()), (entries) => typeof bypassOf(entries)(target) === 'boolean'))
  })
})

describe('a configured proxy', () => {
  test('sends its own credential, else the one of its address', () => {
    const target = new URL('https://api.github.com')
    const own = configuredProxy({ url: 'http://a:b@proxy', username: 'joe', password: 'p:ä', noProxy: [] })(target)
    expect(own?.authorization).toBe(`Basic ${Buffer.from('joe:p:ä').toString('base64')}`)
    const inUrl = configuredProxy({ url: 'https://a:%40@proxy', noProxy: [] })(target)
    expect(inUrl).toMatchObject({ secure: true, port: 443, name: 'https://proxy' })
    expect(inUrl?.authorization).toBe(`Basic ${Buffer.from('a:@').toString('base64')}`)
  })

  test.each(['ftp://proxy', 'proxy:3128', 'http://proxy/path', 'http://proxy?x=1', '', 'http://%zz@proxy'])(
    'refuses the address %j',
    (url) => {
      expect(() => configuredProxy({ url, noProxy: [] })).toThrow(SettingError)
    },
  )

  test('refuses a user name that HTTP cannot send', () => {
    expect(() => configuredProxy({ url: 'http://proxy', username: 'a:b', noProxy: [] })).toThrow(SettingError)
    expect(() => configuredProxy({ url: 'http://proxy', username: 'a', password: 'x\r\ny', noProxy: [] })).toThrow(
      SettingError,
    )
  })
})

function caught(run: () => unknown): Error {
  try {
    run()
  } catch (error) {
    return error as Error
  }
  throw new Error('nothing was thrown')
}

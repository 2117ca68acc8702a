// The parsers between a step and the runner: lines, commands, files, shells, masks.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseCommand } from './commands.ts'
import { readCredential } from './credential.ts'
import { parsePairs, parsePaths } from './file-commands.ts'
import { cutLines, lineMax } from './lines.ts'
import { createMask } from './mask.ts'
import { shellArguments } from './shell.ts'

function linesOf(chunks: readonly Buffer[]): readonly string[] {
  const lines: string[] = []
  const cutter = cutLines((line) => lines.push(line))
  for (const chunk of chunks) cutter.write(chunk)
  cutter.end()
  return lines
}

describe('lines', () => {
  test('LF, CR LF and CR end a line, and the rest without a line break is a line', () => {
    expect(linesOf([Buffer.from('a\nb\r\nc\rd\n\ne')])).toEqual(['a', 'b', 'c', 'd', '', 'e'])
    expect(linesOf([])).toEqual([])
  })

  test('the lines do not depend on how the bytes are split into chunks', () => {
    const piece = fc.constantFrom('a', '\n', '\r', '\r\n', 'é', '\0', '😀', ' ')
    fc.assert(
      fc.property(fc.array(piece), fc.array(fc.nat(20)), (pieces, cuts) => {
        const bytes = Buffer.from(pieces.join(''))
        const places = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b)
        const chunks = [...places, bytes.length].map((end, index) => bytes.subarray(places[index - 1] ?? 0, end))
        expect(linesOf(chunks)).toEqual(linesOf([bytes]))
        expect(linesOf(chunks)).toEqual(
          pieces
            .join('')
            .replaceAll('\0', '')
            .split(/\r\n|\n|\r/)
            .filter((line, index, all) => line !== '' || index < all.length - 1),
        )
      }),
    )
  })

  test('a line that is too long is cut, and the dropped characters are counted', () => {
    const chunk = Buffer.alloc(lineMax, 'x')
    expect(linesOf([chunk, chunk, Buffer.from('y\nz')])).toEqual([
      `${'x'.repeat(lineMax)}… (${lineMax + 1} more characters)`,
      'z',
    ])
  })
})

describe('workflow commands', () => {
  test.each([
    ['::error::text', { name: 'error', properties: {}, data: 'text' }],
    [
      '::error file=a.js,line=1,title=A%3AB%2CC::x%0Ay%25',
      { name: 'error', properties: { file: 'a.js', line: '1', title: 'A:B,C' }, data: 'x\ny%' },
    ],
    ['  ::GROUP::My group', { name: 'group', properties: {}, data: 'My group' }],
    ['::endgroup::', { name: 'endgroup', properties: {}, data: '' }],
    ['::add-mask::a::b', { name: 'add-mask', properties: {}, data: 'a::b' }],
    ['::set-output name=a::v=1', { name: 'set-output', properties: { name: 'a' }, data: 'v=1' }],
    ['##[warning]careful', { name: 'warning', properties: {}, data: 'careful' }],
    ['##[error file=a;line=2]bad', { name: 'error', properties: { file: 'a', line: '2' }, data: 'bad' }],
    ['::nosuch::x', undefined],
    ['text ::error::x', undefined],
    ['::error', undefined],
    ['::', undefined],
    ['', undefined],
  ])('parses %s', (line, command) => {
    expect(parseCommand(line, undefined)).toEqual(command)
  })

  test('while commands are stopped, only the token is a command', () => {
    expect(parseCommand('::error::x', 'token')).toBeUndefined()
    expect(parseCommand('::token::', 'token')).toMatchObject({ name: 'token' })
  })

  test('no line makes the parser throw or take long', () => {
    const piece = fc.constantFrom('::', ':', 'error', ' ', 'a=b', ',', '%0A', '##[', ']', 'x')
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 50 }), (pieces) => void parseCommand(pieces.join(''), undefined)),
    )
    const started = performance.now()
    for (const text of [':', '::a:', ' ', '##[', 'a=b,'].map((part) => `::${part.repeat(20_000)}`))
      parseCommand(text, undefined)
    expect(performance.now() - started).toBeLessThan(5_000)
  })
})

describe('files', () => {
  test.each([
    [
      'a=1\nb=2=3\n\nc=\n',
      [
        ['a', '1'],
        ['b', '2=3'],
        ['c', ''],
      ],
    ],
    [
      'a<<E\none\n\ntwo=2\nE\nb=1',
      [
        ['a', 'one\n\ntwo=2'],
        ['b', '1'],
      ],
    ],
    ['a<<E\nE\n', [['a', '']]],
    ['a=x<<E\n', [['a', 'x<<E']]],
    ['a<<E=1\nx\nE=1\n', [['a', 'x']]],
    [
      'a=1\r\nb<<E\r\nx\r\nE\r\n',
      [
        ['a', '1'],
        ['b', 'x'],
      ],
    ],
    ['', []],
  ])('parses %j', (text, pairs) => {
    expect(parsePairs(text)).toEqual(pairs)
  })

  test.each([
    ['nonsense', /Invalid format 'nonsense'/],
    ['=1', /Name must not be empty/],
    ['<<E\nE\n', /Name must not be empty/],
    ['a<<\n', /delimiter must not be empty/],
    ['a<<E\nx\n', /Matching delimiter not found 'E'/],
  ])('refuses %j', (text, message) => {
    expect(() => parsePairs(text)).toThrow(message)
  })

  test('returns the content of a heredoc unchanged', () => {
    const value = fc.array(fc.constantFrom('a', '=', '<<', ' ', '\n', 'E', 'é')).map((parts) => parts.join(''))
    fc.assert(
      fc.property(value, (value) => {
        fc.pre(!value.split('\n').includes('END'))
        expect(parsePairs(`n<<END\n${value}\nEND\n`)).toEqual([['n', value]])
      }),
    )
  })

  test('reads one path per line', () => {
    expect(parsePaths('/a\n\n/b\r\n')).toEqual(['/a', '/b'])
  })
})

test('splits shell options at blanks outside double quotes', () => {
  expect(shellArguments('--noprofile -e -o pipefail {0}', '/t/a b.sh')).toEqual([
    '--noprofile',
    '-e',
    '-o',
    'pipefail',
    '/t/a b.sh',
  ])
  expect(shellArguments(`-command ". '{0}'"`, '/t/x.ps1')).toEqual(['-command', ". '/t/x.ps1'"])
})

test('masks the longest value first, each line of a value, and no blank value', () => {
  const mask = createMask()
  mask.add('abc')
  mask.add('abcdef')
  mask.add('line (1)\nline+2')
  mask.add('  ')
  mask.add('')
  expect(mask.apply('abcdef abc line (1) and line+2  .')).toBe('*** *** *** and ***  .')
})

test('a credential is read as a whole or refused', () => {
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64')
  const files = {
    '.runner': encode({ AgentId: 7, AgentName: 'r', ServerUrlV2: 'http://127.0.0.1:1/runner' }),
    '.credentials': encode({ Data: { AccessToken: 't' } }),
  }
  expect(readCredential(encode(files))).toEqual({
    id: 7,
    name: 'r',
    url: 'http://127.0.0.1:1/runner/',
    token: 't',
    workFolder: '_work',
  })
  for (const broken of [
    '',
    'x',
    encode(null),
    encode([]),
    encode({}),
    encode({ ...files, '.runner': encode({ AgentName: 'r', ServerUrlV2: 'nowhere' }) }),
  ]) {
    expect(readCredential(broken)).toBeUndefined()
  }
  fc.assert(fc.property(fc.string(), (text) => void expect(readCredential(text)).toBeUndefined()))
})

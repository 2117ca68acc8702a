// The short report: one line for several paths with the same fate.
import { expect, it } from 'vitest'
import { shortened } from './shorten.ts'

const line = (path: string, is = 'kept', sentence = 'x') => ({ file: 'a.yaml', path, is, sentence })
const paths = (...lines: readonly ReturnType<typeof line>[]) => shortened(lines, lines).map(({ path }) => path)

it.each([
  ['several paths with one fate', [line('a.b'), line('a.c[0]'), line('d')], ['a', 'd']],
  ['one path, which stays whole', [line('a.b.c')], ['a.b.c']],
  ['paths with two fates', [line('a.b'), line('a.c', 'dropped')], ['a.b', 'a.c']],
  ['one path with two fates', [line('a.b'), line('a.b', 'changed', 'y')], ['a.b', 'a.b']],
])('shows %s', (_, lines, expected) => expect(paths(...lines)).toEqual(expected))

// Tests paths against the globs of a configuration.
import { globPattern } from '../read/files/glob.ts'

/** Takes a path from the folder of the configuration, with slashes. */
export type PathTest = (path: string) => boolean

/** A glob that matches a folder includes everything in that folder. */
export function pathTest(globs: readonly string[]): PathTest {
  const patterns = globs.flatMap((glob) => withContents(glob).flatMap((each) => globPattern(each) ?? []))
  return (path) => patterns.some((pattern) => pattern.test(path))
}

/** Returns globs that together match a path and, if it is a folder, everything in it. */
export function withContents(glob: string): readonly string[] {
  const plain = glob.replace(/^(?:\.\/)+/, '').replace(/\/+$/, '')
  if (plain === '' || plain === '.') return ['**']
  return plain.endsWith('**') ? [plain] : [plain, `${plain}/**`]
}

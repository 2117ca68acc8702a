// Parses the files by which a step controls the runner: GITHUB_ENV and GITHUB_OUTPUT (name=value, name<<delimiter), and GITHUB_PATH.

/** A file that GitHub refuses, with GitHub's message. */
export class FileCommandError extends Error {
  override readonly name = 'FileCommandError'
}

/** Returns name and value pairs in order. Throws a `FileCommandError`. */
export function parsePairs(text: string): readonly (readonly [name: string, value: string])[] {
  const lines = text.split('\n').map((line) => line.replace(/\r$/, ''))
  if (lines.at(-1) === '') lines.pop()
  const pairs: [string, string][] = []
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? ''
    if (line === '') continue
    const equals = line.indexOf('=')
    const heredoc = line.indexOf('<<')
    if (equals >= 0 && (heredoc < 0 || equals < heredoc)) {
      if (equals === 0) throw new FileCommandError(`Invalid format '${line}'. Name must not be empty`)
      pairs.push([line.slice(0, equals), line.slice(equals + 1)])
      continue
    }
    if (heredoc < 0) throw new FileCommandError(`Invalid format '${line}'`)
    const [name, delimiter] = [line.slice(0, heredoc), line.slice(heredoc + 2)]
    if (name === '' || delimiter === '') {
      throw new FileCommandError(`Invalid format '${line}'. Name must not be empty and delimiter must not be empty`)
    }
    const end = lines.indexOf(delimiter, at + 1)
    if (end < 0) throw new FileCommandError(`Invalid value. Matching delimiter not found '${delimiter}'`)
    pairs.push([name, lines.slice(at + 1, end).join('\n')])
    at = end
  }
  return pairs
}

/** Returns the directories, one per line. */
export function parsePaths(text: string): readonly string[] {
  return text.split(/\r?\n/).filter((line) => line !== '')
}

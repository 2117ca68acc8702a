// Checks the sizes and names of files, and finds module-level state.
import { type Finding, isProduction, isTest, lineAt, type Source } from './source.ts'

const linesMax = 300
const testLinesMax = 500
/** Names that do not describe a file's contents. */
const emptyNames =
  /(?:^|[-/])(?:utils?|helpers?|managers?|common|services?|handlers?|misc)(?:\.test)?\.ts$|(?:^|\/)index\.ts$/

export function checkShape(sources: readonly Source[]): Finding[] {
  return sources.flatMap((source) => [...checkSize(source), ...checkName(source), ...checkState(source)])
}

function checkSize({ path, text }: Source): Finding[] {
  const lines = text.split('\n').length - 1
  const most = isTest(path) || path.startsWith('test/') ? testLinesMax : linesMax
  return lines > most ? [{ rule: 'size', path, line: 1, message: `${lines} lines, at most ${most}` }] : []
}

function checkName({ path }: Source): Finding[] {
  const name = path.slice(path.lastIndexOf('/') + 1)
  if (emptyNames.test(path)) {
    return [{ rule: 'name', path, line: 1, message: `"${name}" does not say what the file is about` }]
  }
  const kebab = /^[a-z0-9]+(?:[-.][a-z0-9]+)*$/.test(name)
  return kebab ? [] : [{ rule: 'name', path, line: 1, message: `"${name}" is not kebab-case` }]
}

/** A module keeps no state, because one process may run two controllers. */
function checkState({ path, code }: Source): Finding[] {
  if (!isProduction(path)) return []
  const state =
    /^(?:export )?(?:let|var) |^(?:export )?const \w+(?:: (?!Readonly|readonly)[^=\n]+)? = (?:new (?:Map|Set|WeakMap|WeakSet)\b[^\n(]*\(\)|\[\])$/gm
  return [...code.matchAll(state)].map((match) => ({
    rule: 'state',
    path,
    line: lineAt(code, match.index),
    message: 'a module keeps no state: move it into the function or object that owns it',
  }))
}

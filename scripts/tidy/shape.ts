// Sizes, names and module-level state.
import { type Finding, isTest, lineAt, type Source } from './source.ts'

const linesMax = 300
const testLinesMax = 500
const parametersMax = 4
/** Names that say nothing about what is inside. */
const emptyNames =
  /(?:^|[-/])(?:utils?|helpers?|managers?|common|services?|handlers?|misc)(?:\.test)?\.ts$|(?:^|\/)index\.ts$/

export function checkShape(sources: readonly Source[]): Finding[] {
  return sources.flatMap((source) => [
    ...checkSize(source),
    ...checkName(source),
    ...checkState(source),
    ...checkParameters(source),
  ])
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

/** Two controllers run in one process: nothing that changes may belong to a module. */
function checkState({ path, code }: Source): Finding[] {
  if (!path.startsWith('src/') || isTest(path)) return []
  const state =
    /^(?:export )?(?:let|var) |^(?:export )?const \w+(?:: (?!Readonly|readonly)[^=\n]+)? = (?:new (?:Map|Set|WeakMap|WeakSet)\b[^\n(]*\(\)|\[\])$/gm
  return [...code.matchAll(state)].map((match) => ({
    rule: 'state',
    path,
    line: lineAt(code, match.index),
    message: 'a module keeps no state: make it a value of the function or object that owns it',
  }))
}

function checkParameters({ path, code }: Source): Finding[] {
  if (isTest(path)) return []
  const findings: Finding[] = []
  for (const match of code.matchAll(/\bfunction\*?\s*\w*(?:<[^(]*>)?\(|\bconstructor\(/g)) {
    const count = countParameters(code, match.index + match[0].length)
    if (count <= parametersMax) continue
    const message = `${count} parameters, at most ${parametersMax}`
    findings.push({ rule: 'parameters', path, line: lineAt(code, match.index), message })
  }
  return findings
}

/** Counts by the commas between the parentheses; a comma within brackets, braces or type arguments is not one. */
function countParameters(code: string, from: number): number {
  let depth = 0
  let count = 0
  let empty = true
  for (let at = from; at < code.length; at++) {
    const char = code[at] ?? ''
    if (char === ')' && depth === 0) break
    if ('([{<'.includes(char)) depth++
    else if (')]}'.includes(char) || (char === '>' && code[at - 1] !== '=')) depth--
    else if (char === ',' && depth === 0) {
      count++
      empty = true
      continue
    }
    if (char.trim() !== '') empty = false
  }
  return empty ? count : count + 1
}

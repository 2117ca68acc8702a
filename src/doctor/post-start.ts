// How long the command of a postStart hook may take, as far as its words tell.

/** It runs under timeout. */
export function isBounded(words: readonly string[]): boolean {
  const [first = ''] = words
  if (/(^|\/)timeout$/.test(first)) return true
  const script = scriptOf(words)
  return script !== undefined && /^\s*(exec\s+)?(\S*\/)?timeout\s/.test(script)
}

/** `surely`: it has a loop, or a command that waits for something else; `never`: it only touches files. */
export function canWait(words: readonly string[]): 'surely' | 'perhaps' | 'never' {
  const script = scriptOf(words) ?? words.join(' ')
  if (/\b(while|until|wait|tail\s+-[fF]|sleep\s+inf\w*|nc|curl|wget|mount|docker|kubectl|nsenter)\b/.test(script)) {
    return 'surely'
  }
  const commands = script.split(/[;&|\n]+/).map((part) => part.trim().replace(/^(then|do|else|if|fi)\b\s*/, ''))
  return commands.every((command) => command === '' || harmless.test(command)) ? 'never' : 'perhaps'
}

const harmless =
  /^(\S*\/)?(echo|printf|mkdir|touch|cp|mv|rm|ln|chmod|chown|cat|sed|test|\[|true|set|export|cd|date|sleep\s+\d{1,2}\b|sysctl)(\s|$)|^\w+=\S*$/

function scriptOf(words: readonly string[]): string | undefined {
  const [shell = '', flag = '', script] = words
  return /(^|\/)(ba|da|a|z)?sh$/.test(shell) && /^-\w*c$/.test(flag) ? script : undefined
}

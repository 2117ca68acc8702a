// Judges how long the command of a postStart hook may take.
import { runsForever } from '../../pods/endings.ts'
import { type Command, commandsOf, programOf } from './commands.ts'

type Wait = 'surely' | 'perhaps' | 'never'

/** Whether everything in it that can wait runs under `timeout`. */
export function isBounded(words: readonly string[]): boolean {
  return commandsOf({ words }).some(({ limited }) => limited) && canWait(words) === 'never'
}

/** `surely`: it has a loop, or a command that waits without a limit of time or attempts. `never`: it only touches files. */
export function canWait(words: readonly string[]): Wait {
  const waits = commandsOf({ words }).map(waitOf)
  if (waits.includes('surely') || words.some((word) => substituted.test(word.slice(0, 10_000)))) return 'surely'
  return waits.includes('perhaps') ? 'perhaps' : 'never'
}

function waitOf(command: Command): Wait {
  const { limited, loop } = command
  if (limited) return 'never'
  if (loop !== undefined || runsForever(command)) return 'surely'
  const program = programOf(command)
  if (/^(wait|mount|nsenter)$/.test(program)) return 'surely'
  if (/^(nc|ncat|curl|wget|docker|kubectl)$/.test(program)) return hasLimit(command) ? 'never' : 'surely'
  return program === '' || harmless.test(program) || isShortSleep(command) ? 'never' : 'perhaps'
}

/** Whether the command has its own time limit, or a number of attempts. */
function hasLimit(command: Command): boolean {
  const [, ...args] = command.words
  if (command.counted) return true
  switch (programOf(command)) {
    case 'curl':
      return args.some((word) => /^(-[a-zA-Z]*m|--max-time)/.test(word))
    case 'nc':
    case 'ncat':
      return args.some((word) => /^(-[a-zA-Z]*w|--wait)/.test(word)) && !args.some((word) => /^-[a-zA-Z]*l/.test(word))
    default:
      return false
  }
}

function isShortSleep({ words }: Command): boolean {
  return programOf({ words }) === 'sleep' && /^\d{1,2}s?$/.test(words[1] ?? '')
}

const harmless =
  /^(echo|printf|mkdir|touch|cp|mv|rm|ln|chmod|chown|cat|sed|test|\[|\[\[|true|false|:|\.|source|set|export|cd|date|sysctl|break|continue|exit|return)$/
const substituted = /(\$\(|`)\s*(nc|curl|wget|docker|kubectl|nsenter)\b/

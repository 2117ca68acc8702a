// Reads a script that a container mounts from a ConfigMap as if it were written in the command.
import path from 'node:path'
import { listAt, textAt } from '@dayfly/kit/read-json'
import type { ContainerView } from '../pod-view.ts'
import { programOf, scriptOf, startedBy } from '../read/shell/commands.ts'
import { readScript } from '../read/shell/shell.ts'
import type { FileAt } from './mounted-scripts.ts'

/** Returns the container with the words of the scripts that its command starts, directly or from a script of its own. */
export function withMountedScripts(container: ContainerView, fileAt: FileAt): ContainerView {
  // Almost every container ends here.
  if (listAt(container.raw, 'volumeMounts').length === 0 || container.words.length === 0) return container
  const read = (file: string) => fileAt(container, file)
  const files = new Files(textAt(container.raw, 'workingDir'), read)
  const words = inlined(container.words, files)
  return words === container.words ? container : { ...container, words }
}

function inlined(words: readonly string[], files: Files): readonly string[] {
  const { rest, limited } = startedBy(words)
  const script = scriptOf(rest)
  const text = script ?? (limited ? undefined : files.text(startedFile(rest)))
  if (text === undefined) return words
  const whole = inlineIn(text, files)
  return whole === script ? words : ['sh', '-c', whole]
}

/** Puts the text of each mounted script in the place of the command that starts it. */
function inlineIn(script: string, files: Files): string {
  let result = script
  for (const { words } of readScript(script.slice(0, lettersMax))) {
    const { rest, limited } = startedBy(words)
    const file = startedFile(rest)
    const text = files.follow(rest) || limited ? undefined : files.text(file)
    if (text === undefined || file === undefined) continue
    const command = words.slice(0, words.indexOf(file) + 1).map(quotedOrNot)
    const place = new RegExp(`(${before})${command.join('[^\\S\\n]+')}(?![^\\s;&|)])[^;&|)\\n]*`)
    result = result.replace(place, (_, start) => `${start}{\n${inlineIn(text, files)}\n}`)
  }
  return result
}

const lettersMax = 10_000
/** Matches the end of the text before a command. */
const before = '(?:^|[;&|({\\n]|\\b(?:then|do|else)\\b)[^\\S\\n]*'
const shell = /^(?:ba|da|a|z|k)?sh$/

/** Returns the path of the script that a shell, or the system, reads: `/x.sh`, `sh -e /x.sh`, `. /x.sh`. */
function startedFile(words: readonly string[]): string | undefined {
  const [program = '', ...args] = words
  const isShell = shell.test(programOf({ words })) && !args.some((word) => /^-\w*c$/.test(word))
  if (isShell || program === '.' || program === 'source') return args.find((word) => !word.startsWith('-'))
  return program.includes('/') ? program : undefined
}

function quotedOrNot(word: string): string {
  return `["']?${word.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}["']?`
}

/** The mounted files as a script sees them, which changes its folder and copies files. */
class Files {
  private readonly copies = new Map<string, string>()
  private folder: string | undefined
  /** Scripts may start each other, even in circles. */
  private left = 20
  private readonly read: (file: string) => string | undefined

  constructor(folder: string | undefined, read: (file: string) => string | undefined) {
    this.folder = folder
    this.read = read
  }

  /** Returns the text of a shell script; undefined if the input does not have it, or another program reads it. */
  text(file: string | undefined): string | undefined {
    const text = this.at(file)
    if (text === undefined || this.left === 0 || /^#!(?!.*\b(?:ba|da|a|z|k)?sh\b)/.test(text)) return undefined
    this.left--
    return text.slice(0, lettersMax)
  }

  private at(file = ''): string | undefined {
    const place = this.resolve(file)
    return place === undefined ? undefined : (this.copies.get(place) ?? this.read(place))
  }

  /** Follows `cd`, `cp`, `mv`, `ln` and `install`. Returns whether the command is one of them. */
  follow(words: readonly string[]): boolean {
    const [program, ...args] = words
    const paths = args.filter((word) => !word.startsWith('-'))
    if (program === 'cd') this.folder = this.resolve(paths[0] ?? '~')
    else if (program !== undefined && /^(cp|mv|ln|install)$/.test(program)) this.copy(paths)
    else return false
    return true
  }

  private copy(paths: readonly string[]): void {
    const to = this.resolve(paths.at(-1) ?? '')
    for (const from of to === undefined ? [] : paths.slice(0, -1)) {
      const text = this.at(from)
      if (text === undefined || to === undefined) continue
      this.copies.set(to, text)
      this.copies.set(path.posix.join(to, path.posix.basename(from)), text)
    }
  }

  private resolve(file: string): string | undefined {
    if (file === '' || /[$~*?]/.test(file)) return undefined
    const at = file.startsWith('/') ? file : this.folder && path.posix.join(this.folder, file)
    return at?.replace(/(?<=.)\/$/, '')
  }
}

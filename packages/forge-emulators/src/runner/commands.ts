// Parses workflow commands: lines of a step's output that control the runner (`::error file=a.js::text`, `##[error]text`).

export type WorkflowCommand = {
  /** The command's name in lower case. */
  readonly name: string
  readonly properties: Readonly<Record<string, string>>
  readonly data: string
}

const known = new Set([
  'add-mask',
  'add-matcher',
  'add-path',
  'debug',
  'echo',
  'endgroup',
  'error',
  'group',
  'notice',
  'remove-matcher',
  'save-state',
  'set-env',
  'set-output',
  'stop-commands',
  'warning',
])

/** Parses a line. Returns undefined if it is not a command of GitHub. While `resume`, the token that ends `stop-commands`, is set, only that token is a command. */
export function parseCommand(line: string, resume: string | undefined): WorkflowCommand | undefined {
  const trimmed = line.trimStart()
  const [, head = '', data = ''] =
    /^::([^:]*(?::(?!:)[^:]*)*)::(.*)$/s.exec(trimmed) ?? /^##\[([^\]]*)\](.*)$/s.exec(trimmed) ?? []
  const [, name = '', list = ''] = /^(\S+)(?:\s+(.*))?$/s.exec(head) ?? []
  const lowered = name.toLowerCase()
  if (resume !== undefined ? name !== resume : !known.has(lowered)) return undefined
  return { name: lowered, properties: propertiesOf(list), data: unescapeData(data) }
}

function propertiesOf(list: string): Readonly<Record<string, string>> {
  const properties: Record<string, string> = {}
  for (const item of list.split(/[,;]/)) {
    const [, key = '', value = ''] = /^\s*([^=]+)=(.*)$/s.exec(item) ?? []
    if (key !== '')
      properties[key.trim().toLowerCase()] = unescapeData(value).replaceAll('%3A', ':').replaceAll('%2C', ',')
  }
  return properties
}

function unescapeData(text: string): string {
  return text.replaceAll('%0D', '\r').replaceAll('%0A', '\n').replaceAll('%25', '%')
}

// Makes one shell script of the commands of a step.

/** Returns a script that shows each command before it runs. The shell's option `-e` ends it at the first failure. */
export function scriptOf(commands: readonly string[]): string {
  // The empty line after a command ends one whose last character is a backslash.
  return commands.map((command) => `printf '%s\\n' ${quoted(`+ ${command.trimEnd()}`)}\n${command}\n\n`).join('')
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

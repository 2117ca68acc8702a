/** A template that this interpreter does not render. The message is a sentence without its full stop. */
export class TemplateRefused extends Error {
  readonly line: number

  constructor(message: string, line: number) {
    super(message)
    this.name = 'TemplateRefused'
    this.line = line
  }
}

// Parses server-sent events. The page reads them with fetch, because EventSource cannot send a token.
// The format: https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation

export type ServerEvent = { readonly event: string; readonly data: string; readonly id: string | null }

/** Takes text in pieces of any size and returns the events that are complete. */
export type EventParser = (piece: string) => readonly ServerEvent[]

export function eventParser(): EventParser {
  let rest = ''
  let fields = emptyFields()
  return (piece) => {
    const events: ServerEvent[] = []
    rest += piece
    // A carriage return at the end may be half of a line end.
    const complete = rest.endsWith('\r') ? rest.slice(0, -1) : rest
    const lines = complete.split(/\r\n|\n|\r/)
    rest = (lines.pop() ?? '') + rest.slice(complete.length)
    for (const line of lines) {
      if (line !== '') addLine(fields, line)
      else {
        if (fields.data.length > 0) events.push({ ...fields, data: fields.data.join('\n') })
        fields = emptyFields()
      }
    }
    return events
  }
}

/** Calls `onEvent` for each event of a response, and `onBytes` whenever something arrives, even a comment. */
export async function readEvents(
  response: Response,
  onEvent: (event: ServerEvent) => void,
  onBytes: () => void = () => {},
): Promise<void> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  const parse = eventParser()
  while (reader) {
    const { done, value } = await reader.read()
    if (done) return
    onBytes()
    for (const event of parse(value)) onEvent(event)
  }
}

type Fields = { event: string; data: string[]; id: string | null }

function emptyFields(): Fields {
  return { event: 'message', data: [], id: null }
}

function addLine(fields: Fields, line: string): void {
  const colon = line.indexOf(':')
  if (colon === 0) return
  const name = colon < 0 ? line : line.slice(0, colon)
  const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '')
  if (name === 'data') fields.data.push(value)
  if (name === 'event') fields.event = value
  if (name === 'id') fields.id = value
}

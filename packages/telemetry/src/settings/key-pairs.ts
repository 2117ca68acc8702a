// Lists of `key=value`, separated by commas and percent-encoded, as OpenTelemetry writes headers and attributes of a resource.

/** Returns undefined if the text is no such list. The form is that of the W3C's baggage, without properties. */
export function parseKeyPairs(text: string): Readonly<Record<string, string>> | undefined {
  const pairs: Record<string, string> = {}
  for (const part of text.split(',').map((each) => each.trim())) {
    if (part === '') continue
    const [, key = '', value = ''] = /^([^=]+)=(.*)$/s.exec(part) ?? []
    const [name, decoded] = [decode(key.trim()), decode(value.trim())]
    if (name === undefined || name === '' || decoded === undefined) return undefined
    pairs[name] = decoded
  }
  return pairs
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

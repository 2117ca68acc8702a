// The output of the fast reader: plain values here, nodes in nodes.ts.

/** Offsets count in the text. The span of a scalar includes its quotes, or the header and all lines of its block. */
export type Maker = {
  readonly scalar: (value: unknown, text: string, start: number, end: number) => unknown
  readonly mapping: () => MappingUnderWay
  readonly list: () => ListUnderWay
}

export type MappingUnderWay = {
  readonly put: (text: string, keyStart: number, keyEnd: number, value: unknown) => void
  readonly done: Done
}
export type ListUnderWay = { readonly add: (value: unknown) => void; readonly done: Done }

/** `end`: the offset behind the bracket of flow style. Returns the mapping or list. */
type Done = (start: number, end?: number) => unknown

export const values: Maker = {
  scalar: (value) => value,
  mapping: () => new ValueMapping(),
  list: () => new ValueList(),
}

class ValueMapping implements MappingUnderWay {
  readonly #value: Record<string, unknown> = {}

  put(text: string, keyStart: number, keyEnd: number, value: unknown): void {
    this.#value[text.slice(keyStart, keyEnd)] = value
  }

  done(): unknown {
    return this.#value
  }
}

class ValueList implements ListUnderWay {
  readonly #value: unknown[] = []

  add(value: unknown): void {
    this.#value.push(value)
  }

  done(): unknown {
    return this.#value
  }
}

// A part of a text.

/** Offsets; `end` is behind the last character. */
export type Span = { readonly start: number; readonly end: number }

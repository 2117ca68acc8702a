/** A problem of an input: its path in the file, and a sentence with the next step. */
export type Problem = { readonly path: string; readonly sentence: string }

// The few things that the store does with the files of its folder. Every call may fail: a disk is full, a folder is read-only.

export type FileSeen = { readonly name: string; readonly bytes: number }

export interface Files {
  /** The folder, for messages. */
  readonly folder: string
  list(): Promise<readonly FileSeen[]>
  /** Returns undefined if there is no such file. */
  read(name: string): Promise<string | undefined>
  append(name: string, text: string): Promise<void>
  /** Replaces a file completely or not at all. */
  replace(name: string, text: string): Promise<void>
  /** Returns false if the file exists. */
  create(name: string, text: string): Promise<boolean>
  rename(from: string, to: string): Promise<void>
  remove(name: string): Promise<void>
}

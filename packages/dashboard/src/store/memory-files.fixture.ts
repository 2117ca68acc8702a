// The files of a folder in memory. A test can let any call fail, and cut a write short.
import type { Files } from './files.ts'

export class MemoryFiles implements Files {
  readonly folder = '/var/lib/dayfly'
  readonly texts = new Map<string, string>()
  /** Calls that change files fail with this. */
  failure: Error | undefined
  readonly writes: string[] = []

  async list() {
    return [...this.texts].map(([name, text]) => ({ name, bytes: text.length }))
  }

  async read(name: string) {
    return this.texts.get(name)
  }

  async append(name: string, text: string) {
    const before = this.texts.get(name) ?? ''
    // A full disk takes a part of the text.
    if (this.failure) this.texts.set(name, before + text.slice(0, text.length / 2))
    this.#write('append', name)
    this.texts.set(name, before + text)
  }

  async replace(name: string, text: string) {
    this.#write('replace', name)
    this.texts.set(name, text)
  }

  async create(name: string, text: string) {
    this.#write('create', name)
    if (this.texts.has(name)) return false
    this.texts.set(name, text)
    return true
  }

  async rename(from: string, to: string) {
    this.#write('rename', from)
    this.texts.set(to, this.texts.get(from) ?? '')
    this.texts.delete(from)
  }

  async remove(name: string) {
    this.#write('remove', name)
    this.texts.delete(name)
  }

  #write(call: string, name: string) {
    if (this.failure) throw this.failure
    this.writes.push(`${call} ${name}`)
  }
}

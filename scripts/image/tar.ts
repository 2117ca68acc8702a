// Writes tar archives (POSIX ustar) with the same bytes for the same entries: sorted names, no times, no names of users.

export type TarEntry = {
  /** The path without a slash at its beginning or end. */
  readonly path: string
  readonly mode: number
  /** The numeric owner and group. The default is root. */
  readonly owner?: number
} & (
  | { readonly kind: 'file'; readonly content: Buffer }
  | { readonly kind: 'folder' }
  | { readonly kind: 'link'; readonly target: string }
)

const block = 512
const types = { file: '0', link: '2', folder: '5' } as const

/** Returns the archive. Throws if two entries have one path, or a path does not fit into a header. */
export function writeTar(entries: readonly TarEntry[]): Buffer {
  const sorted = [...entries].sort((left, right) => (left.path < right.path ? -1 : 1))
  const parts: Buffer[] = []
  for (const [index, entry] of sorted.entries()) {
    if (sorted[index + 1]?.path === entry.path) throw new Error(`the archive has two entries ${entry.path}`)
    parts.push(header(entry))
    if (entry.kind !== 'file') continue
    parts.push(entry.content, Buffer.alloc((block - (entry.content.length % block)) % block))
  }
  return Buffer.concat([...parts, Buffer.alloc(2 * block)])
}

/** Adds each parent folder that no entry names, owned by root. */
export function withFolders(entries: readonly TarEntry[]): readonly TarEntry[] {
  const known = new Set(entries.map(({ path }) => path))
  const added: TarEntry[] = []
  for (const { path } of entries) {
    for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) {
      const folder = path.slice(0, at)
      if (known.has(folder)) continue
      known.add(folder)
      added.push({ kind: 'folder', path: folder, mode: 0o755 })
    }
  }
  return [...added, ...entries]
}

function header(entry: TarEntry): Buffer {
  const bytes = Buffer.alloc(block)
  const { name, prefix } = splitPath(entry.kind === 'folder' ? `${entry.path}/` : entry.path)
  const text = (value: string, at: number, length: number) => {
    if (Buffer.byteLength(value) > length) throw new Error(`${entry.path}: "${value}" is longer than ${length} bytes`)
    bytes.write(value, at)
  }
  const octal = (value: number, at: number, length: number) =>
    text(`${value.toString(8).padStart(length - 1, '0')}\0`, at, length)
  text(name, 0, 100)
  octal(entry.mode, 100, 8)
  octal(entry.owner ?? 0, 108, 8)
  octal(entry.owner ?? 0, 116, 8)
  octal(entry.kind === 'file' ? entry.content.length : 0, 124, 12)
  octal(0, 136, 12)
  text(types[entry.kind], 156, 1)
  text(entry.kind === 'link' ? entry.target : '', 157, 100)
  text('ustar\0' + '00', 257, 8)
  text(prefix, 345, 155)
  // The checksum counts its own field as blanks.
  bytes.fill(' ', 148, 156)
  const sum = bytes.reduce((total, byte) => total + byte, 0)
  text(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 8)
  return bytes
}

/** Splits a path of more than 100 bytes at a slash: the header has 155 bytes for its beginning. */
function splitPath(path: string): { readonly name: string; readonly prefix: string } {
  if (Buffer.byteLength(path) <= 100) return { name: path, prefix: '' }
  const at = path.indexOf('/', path.length - 100)
  if (at <= 0) throw new Error(`${path} is too long for an archive`)
  return { name: path.slice(at + 1), prefix: path.slice(0, at) }
}

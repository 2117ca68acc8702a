// Replaces a file's content completely or not at all: after a crash, the old content is still there.
import { access, constants, type FileHandle, open, readFile, realpath, rename, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { temporaryName } from '../read/files/temporary-name.ts'

/** Why a file stays unchanged. */
export type Unwritten = {
  readonly code: 'file-changed' | 'file-readonly' | 'file-unwritable'
  /** The end of a sentence that names the file. */
  readonly why: string
  readonly next: string
}

/**
 * Follows a link to its file. Keeps the mode and, if allowed, the owner. `unique` separates the temporary files of two writers.
 * Refuses a file that no longer holds `before`, because another program wrote it.
 */
export async function replaceFile(
  file: string,
  texts: { readonly before: string; readonly after: string },
  unique: string,
): Promise<Unwritten | undefined> {
  try {
    const target = await realpath(file)
    const found = await stat(target)
    if (!found.isFile()) return unwritable('it is not a regular file')
    // Without this check a read-only file would be replaced, because the rename only writes to its folder.
    if ((found.mode & 0o222) === 0) return readonly
    await access(target, constants.W_OK)
    const temporary = path.join(path.dirname(target), temporaryName(unique))
    return await swap({ target, temporary, like: found }, texts)
  } catch (error) {
    return explain(error)
  }
}

type Swap = { readonly target: string; readonly temporary: string; readonly like: Like }
type Like = { readonly mode: number; readonly uid: number; readonly gid: number }

async function swap(
  { target, temporary, like }: Swap,
  { before, after }: { readonly before: string; readonly after: string },
): Promise<Unwritten | undefined> {
  const handle = await open(temporary, 'wx', 0o600)
  try {
    await fill(handle, like, after)
    const now = await readFile(target)
    // The change is already made: a file and a link to it were both given.
    if (now.equals(Buffer.from(after))) return undefined
    if (!now.equals(Buffer.from(before))) return changed
    await rename(temporary, target)
    return undefined
  } finally {
    await rm(temporary, { force: true })
  }
}

async function fill(handle: FileHandle, { mode, uid, gid }: Like, text: string): Promise<void> {
  try {
    // Only root may change the owner of a file.
    await handle.chown(uid, gid).catch(() => undefined)
    await handle.chmod(mode & 0o777)
    await handle.writeFile(text)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

const changed: Unwritten = {
  code: 'file-changed',
  why: 'it changed since it was read',
  next: 'Run it again.',
}
const readonly: Unwritten = {
  code: 'file-readonly',
  why: 'it is read-only',
  next: 'Allow writing to it (chmod u+w) and run it again, or take the patch that --diff prints.',
}

function unwritable(why: string): Unwritten {
  return { code: 'file-unwritable', why, next: 'Take the patch that --diff prints.' }
}

function explain(error: unknown): Unwritten {
  if (!(error instanceof Error)) throw error
  const { code, syscall } = error as NodeJS.ErrnoException
  if (code === 'ENOENT') return { ...changed, why: 'it is gone' }
  if (syscall === 'access') return readonly
  if (code === 'EROFS') return { ...readonly, why: 'it is in a read-only file system' }
  if (code === 'EACCES' || code === 'EPERM') {
    return { ...readonly, why: 'its folder is read-only', next: readonly.next.replace('it (', 'the folder (') }
  }
  if (code === undefined) throw error
  return unwritable(error.message.replace(/, \w+ '.*'.*$/, ''))
}

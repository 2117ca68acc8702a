// The files of a folder on this machine.
import { appendFile, mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import path from 'node:path'
import type { FileSeen, Files } from './files.ts'
import type { Owner } from './lock.ts'

export function folderFiles(folder: string): Files {
  const at = (name: string) => path.join(folder, name)
  return {
    folder,
    list: async () => {
      await mkdir(folder, { recursive: true })
      const entries = await readdir(folder, { withFileTypes: true })
      const names = entries.filter((entry) => entry.isFile()).map(({ name }) => name)
      const seen = await Promise.all(names.map(async (name) => sizeOf(at(name), name)))
      return seen.filter((file) => file !== undefined)
    },
    read: (name) => readFile(at(name), 'utf8').catch(absent),
    append: (name, text) => appendFile(at(name), text),
    replace: async (name, text) => {
      const temporary = at(`${name}.new`)
      const handle = await open(temporary, 'w')
      try {
        await handle.writeFile(text)
        // Without this, a machine that loses power may keep the new name and not the new content.
        await handle.sync()
      } finally {
        await handle.close()
      }
      await rename(temporary, at(name))
    },
    create: async (name, text) => {
      try {
        await writeFile(at(name), text, { flag: 'wx' })
        return true
      } catch (error) {
        if (codeOf(error) === 'EEXIST') return false
        throw error
      }
    },
    rename: (from, to) => rename(at(from), at(to)),
    remove: (name) => rm(at(name), { force: true }),
  }
}

/** This process, for the lock of a folder. */
export function thisProcess(): Owner {
  return { pid: process.pid, host: hostname(), isAlive }
}

/** A signal 0 only asks. A process of another user is alive, too. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return codeOf(error) === 'EPERM'
  }
}

/** Another process may have removed the file since the folder was listed. */
async function sizeOf(file: string, name: string): Promise<FileSeen | undefined> {
  const found = await stat(file).catch(absent)
  return found && { name, bytes: found.size }
}

function absent(error: unknown): undefined {
  if (codeOf(error) !== 'ENOENT') throw error
  return undefined
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined
}

// Where the doctor runs: what GitHub and a baseline name files from.
import { existsSync } from 'node:fs'
import path from 'node:path'
import type { Whereabouts } from '../../doctor/reporters/whereabouts.ts'

/** The working folder, and the root of its repository; itself where there is none. */
export function whereabouts(): Whereabouts {
  const folder = process.cwd()
  let root = folder
  while (!existsSync(path.join(root, '.git'))) {
    if (root === path.dirname(root)) return { root: folder, folder }
    root = path.dirname(root)
  }
  return { root, folder }
}

// Finds the working folder and the root of its repository.
import { existsSync } from 'node:fs'
import path from 'node:path'
import type { RepositoryPaths } from '../report/repository-paths.ts'

/** Outside a repository, the root is the working folder itself. */
export function repositoryPaths(): RepositoryPaths {
  const folder = process.cwd()
  let root = folder
  while (!existsSync(path.join(root, '.git'))) {
    if (root === path.dirname(root)) return { root: folder, folder }
    root = path.dirname(root)
  }
  return { root, folder }
}

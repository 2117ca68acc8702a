// Names files from the root of their repository, as GitHub and a baseline do.
import path from 'node:path'

/** Two absolute paths: findings name files from `folder`, GitHub from `root`. */
export type RepositoryPaths = { readonly root: string; readonly folder: string }

/** Returns the name with slashes. A file outside the repository gets its absolute path. */
export function inRepository(file: string, { root, folder }: RepositoryPaths): string {
  const absolute = path.resolve(folder, file)
  const relative = path.relative(root, absolute)
  const outside = relative === '..' || relative.startsWith(`..${path.sep}`) || path.isAbsolute(relative)
  return (outside ? absolute : relative).split(path.sep).join('/')
}

// Where the examined files stand in the repository: what GitHub and a baseline call them by.
import path from 'node:path'

/** Both absolute: findings name files from `folder`, GitHub from `root`, the repository's. */
export type Whereabouts = { readonly root: string; readonly folder: string }

/** With slashes, from the repository's root; absolute where it stands outside. */
export function inRepository(file: string, { root, folder }: Whereabouts): string {
  const absolute = path.resolve(folder, file)
  const relative = path.relative(root, absolute)
  const outside = relative === '..' || relative.startsWith(`..${path.sep}`) || path.isAbsolute(relative)
  return (outside ? absolute : relative).split(path.sep).join('/')
}

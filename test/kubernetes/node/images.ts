// The images of this build on the real node: the controller and the small runner.
import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type NodePlace, placeFile } from '../../../scripts/node/place.ts'

const run = promisify(execFile)
export const root = fileURLToPath(new URL('../../../', import.meta.url))
const packed = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as { readonly version: string }

/** The image of the small runner. */
export const runnerImage = `localhost/dayfly-runner:${packed.version}`

export function nodeOfRun(): NodePlace {
  return JSON.parse(readFileSync(placeFile(process.env['DAYFLY_NODE'] ?? ''), 'utf8')) as NodePlace
}

/** Imports the images of this build into the node's containerd. */
export async function importImages(): Promise<void> {
  for (const archive of await imageArchives()) {
    const socket = path.join(nodeOfRun().run, 'containerd.sock')
    await run('ctr', ['-a', socket, '-n', 'k8s.io', 'images', 'import', archive])
  }
}

/** Returns the archives of the images. Writes them first if they are missing. */
export async function imageArchives(): Promise<readonly string[]> {
  const archives = ['dayfly', 'dayfly-runner'].map((name) => path.join(root, `dist/image/${name}.tar`))
  if (!archives.every(existsSync)) await run('npm', ['run', 'image'], { cwd: root })
  return archives
}

// The images of this build on the real node: the controller, the small runner, and a Docker Engine with a runner that calls it.
import { execFile } from 'node:child_process'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { runnerImage as smallRunner } from '../../../scripts/image/contents.ts'
import { architectureHere, createLayer, writeLayout } from '../../../scripts/image/layout.ts'
import { dockerCommand, engineArchive } from '../../../scripts/node/engine.ts'
import { findBusybox } from '../../../scripts/node/machine.ts'
import { type NodePlace, placeFile } from '../../../scripts/node/place.ts'

const run = promisify(execFile)
export const root = fileURLToPath(new URL('../../../', import.meta.url))
const packed = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as { readonly version: string }

/** The image of the small runner. */
export const runnerImage = `localhost/dayfly-runner:${packed.version}`

/** The small runner with the program `docker`. Only `importDocker` provides it. */
export const dockerRunnerImage = `localhost/dayfly-runner-docker:${packed.version}`

/** The small runner with the hooks for pods of jobs. Only `importHooks` provides it. */
export const hooksRunnerImage = `localhost/dayfly-runner-hooks:${packed.version}`

export function nodeOfRun(): NodePlace {
  return JSON.parse(readFileSync(placeFile(process.env['DAYFLY_NODE'] ?? ''), 'utf8')) as NodePlace
}

/** Imports the images of this build into the node's containerd. */
export async function importImages(): Promise<void> {
  await importArchives(await imageArchives())
}

/** Imports a real Docker Engine, and the small runner with the program that asks it. */
export async function importDocker(): Promise<void> {
  const { engine, run: folder } = nodeOfRun()
  if (engine.is === 'missing') throw new Error(engine.why)
  const image = await smallRunner(
    path.join(root, 'packages/forge-emulators/dist'),
    dockerRunnerImage,
    await findBusybox(),
  )
  const layers = [...image.layers, createLayer(await dockerCommand(engine.folder))]
  const archive = path.join(folder, 'docker-runner.tar')
  writeFileSync(archive, writeLayout([{ ...image, layers }], architectureHere()))
  await importArchives([engineArchive(engine.folder), archive])
}

/** Imports the small runner with hooks in the place where GitHub's runner image has them. @param hooks a program for Node */
export async function importHooks(hooks: string): Promise<void> {
  const { run: folder } = nodeOfRun()
  const image = await smallRunner(
    path.join(root, 'packages/forge-emulators/dist'),
    hooksRunnerImage,
    await findBusybox(),
  )
  const own = { mode: 0o755, owner: 1001 }
  const home = 'home/runner'
  const added = createLayer([
    { kind: 'folder', path: `${home}/k8s-novolume`, ...own },
    { kind: 'file', path: `${home}/k8s-novolume/index.js`, mode: 0o644, content: readFileSync(hooks) },
    { kind: 'file', path: `${home}/k8s-novolume/package.json`, mode: 0o644, content: Buffer.from('{}') },
    { kind: 'folder', path: `${home}/externals`, ...own },
    { kind: 'file', path: `${home}/externals/node`, ...own, content: Buffer.from('') },
  ])
  const archive = path.join(folder, 'hooks-runner.tar')
  writeFileSync(archive, writeLayout([{ ...image, layers: [...image.layers, added] }], architectureHere()))
  await importArchives([archive])
}

/** Returns why this node has no real Docker Engine, or undefined if it has one. */
export function whyNoEngine(): string | undefined {
  const { engine } = nodeOfRun()
  return engine.is === 'missing' ? engine.why : undefined
}

async function importArchives(archives: readonly string[]): Promise<void> {
  const socket = path.join(nodeOfRun().run, 'containerd.sock')
  for (const archive of archives) await run('ctr', ['-a', socket, '-n', 'k8s.io', 'images', 'import', archive])
}

/** Returns the archives of the images. Writes them first if they are missing or older than the programs. */
export async function imageArchives(): Promise<readonly string[]> {
  const archives = ['dayfly', 'dayfly-runner'].map((name) => path.join(root, `dist/image/${name}.tar`))
  const program = statSync(path.join(root, 'packages/controller/dist/dayfly.js')).mtimeMs
  if (!archives.every((archive) => existsSync(archive) && statSync(archive).mtimeMs >= program))
    await run('npm', ['run', 'image'], { cwd: root })
  return archives
}

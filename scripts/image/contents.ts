// The contents of the two images: the controller, and the small runner.
import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { type Base, baseHere, certificates, node, trust } from './base.ts'
import { busyboxEntries } from './busybox.ts'
import { createLayer, type Image, type Layer } from './layout.ts'
import { copied, findProgram, librariesOf } from './programs.ts'
import type { TarEntry } from './tar.ts'

/** The user of the controller. It has no name on most machines. */
const controllerUser = 65532
/** The user of GitHub's runner image, so that the same templates work with both images. */
const runnerUser = 1001

/**
 * Flags of Node for the controller. V8 begins with a young generation of 1 MB, and goes back to it after a rest: each burst of runners
 * would copy many objects that die soon. With 8 MB, 1,000 lives take about a tenth less processor time, and 14 MB more memory (docs/guide/scale.md).
 */
export const controllerFlags: readonly string[] = ['--min-semi-space-size=8']

const searchPath = '/usr/local/bin:/usr/bin:/bin'
const gitFolder = '/usr/lib/git-core'

/**
 * Returns the image of the controller: Node in the lower layer, and the bundle in the upper one, which alone changes with each version.
 * @param dist the built folder of packages/controller.
 * @param base the default is that of this machine
 */
export async function controllerImage(dist: string, name: string, base?: Base): Promise<Image> {
  const found = await readdir(dist, { recursive: true, withFileTypes: true })
  const names = found.flatMap((one) => (one.isFile() ? path.relative(dist, path.join(one.parentPath, one.name)) : []))
  const files = await copiedFrom(dist, names, 'app')
  const { entries } = base ?? (await baseHere())
  const lower = [...accounts([['nonroot', controllerUser, '/']]), ...entries]
  return {
    names: [name],
    layers: [createLayer(lower), createLayer([moduleMark('app'), ...files])],
    configuration: {
      User: `${controllerUser}:${controllerUser}`,
      Entrypoint: [node, ...controllerFlags, '/app/dayfly.js'],
      Env: [`PATH=${searchPath}`, 'NODE_ENV=production', 'HOME=/'],
      WorkingDir: '/',
    },
  }
}

/**
 * Returns the image of the small runner. It has the programs that steps need most: a shell, busybox, and bash and git if this machine has them.
 * @param dist the built folder of packages/forge-emulators.
 */
export async function runnerImage(dist: string, name: string, busybox: string): Promise<Image> {
  const home = 'home/runner'
  const own = { owner: runnerUser }
  const start = `#!/bin/sh\nexec ${node} /${home}/runner.js\n`
  const files = (await readdir(dist)).filter((file) => file.endsWith('.js'))
  const program: readonly TarEntry[] = [
    { kind: 'folder', path: home, mode: 0o755, ...own },
    { kind: 'folder', path: `${home}/_work`, mode: 0o755, ...own },
    { kind: 'file', path: `${home}/run.sh`, mode: 0o755, content: Buffer.from(start) },
    ...(await copiedFrom(dist, files, home)),
    moduleMark(home),
  ]
  return {
    names: [name],
    layers: [await toolsLayer(busybox), createLayer(program)],
    configuration: {
      User: `${runnerUser}:${runnerUser}`,
      Entrypoint: [`/${home}/run.sh`],
      Env: [`PATH=${searchPath}`, `HOME=/${home}`, `GIT_SSL_CAINFO=${certificates}`, `GIT_EXEC_PATH=${gitFolder}`],
      WorkingDir: `/${home}`,
    },
  }
}

/** Returns files of a built folder as files below another one, always in the same order. */
async function copiedFrom(dist: string, names: readonly string[], into: string): Promise<readonly TarEntry[]> {
  return await Promise.all([...names].sort().map((name) => copied(path.join(dist, name), `${into}/${name}`, 0o644)))
}

async function toolsLayer(busybox: string): Promise<Layer> {
  const bash = findProgram('bash')
  const git = findProgram('git')
  const dynamic = [process.execPath, ...(bash ? [bash] : []), ...(git ? [git] : [])]
  return createLayer([
    ...accounts([['runner', runnerUser, '/home/runner']]),
    { kind: 'folder', path: 'tmp', mode: 0o1777 },
    ...(await busyboxEntries(busybox, bash ? ['bash'] : [])),
    { kind: 'link', path: 'usr/bin/env', mode: 0o777, target: '/bin/busybox' },
    await copied(process.execPath, node),
    ...(bash ? [await copied(bash, 'bin/bash')] : []),
    ...(git ? await gitFiles(git, dynamic) : []),
    ...(await librariesOf(dynamic)),
    ...(await trust()),
  ])
}

/** Returns git, and its program for HTTPS if there is one. Adds that program to `dynamic`. */
async function gitFiles(git: string, dynamic: string[]): Promise<readonly TarEntry[]> {
  const https = `${gitFolder}/git-remote-https`
  const files: TarEntry[] = [
    await copied(git, 'usr/bin/git'),
    // Without the folder, git warns of each clone.
    { kind: 'folder', path: 'usr/share/git-core/templates', mode: 0o755 },
  ]
  const builtIn = ['git', 'git-upload-pack', 'git-receive-pack', 'git-upload-archive']
  for (const name of builtIn) {
    const target = '/usr/bin/git'
    files.push({ kind: 'link', path: `${gitFolder.slice(1)}/${name}`, mode: 0o777, target })
    if (name !== 'git') files.push({ kind: 'link', path: `usr/bin/${name}`, mode: 0o777, target })
  }
  const program = await copied(https, https).catch(() => undefined)
  if (!program) return files
  dynamic.push(https)
  return [...files, program]
}

function accounts(users: readonly (readonly [name: string, id: number, home: string])[]): readonly TarEntry[] {
  const all = [['root', 0, '/'] as const, ...users]
  const passwd = all.map(([name, id, home]) => `${name}:x:${id}:${id}:${name}:${home}:/bin/sh\n`)
  const text = (path: string, lines: readonly string[]): TarEntry => {
    return { kind: 'file', path, mode: 0o644, content: Buffer.from(lines.join('')) }
  }
  return [
    text('etc/passwd', passwd),
    text(
      'etc/group',
      all.map(([name, id]) => `${name}:x:${id}:\n`),
    ),
    text('etc/nsswitch.conf', ['hosts: files dns\n']),
    text('etc/hosts', ['127.0.0.1 localhost\n']),
  ]
}

/** Marks for Node that the scripts of this folder are ES modules. */
function moduleMark(folder: string): TarEntry {
  return { kind: 'file', path: `${folder}/package.json`, mode: 0o644, content: Buffer.from('{"type":"module"}\n') }
}

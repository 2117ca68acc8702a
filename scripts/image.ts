// Writes dist/image/dayfly.tar and dist/image/dayfly-runner.tar: images in the OCI layout, without a registry and without Docker.
// dayfly.cdx.json beside it is the bill of materials of the first one.
// Needs Linux, because the images contain this machine's Node with its libraries. deploy/Containerfile builds the same elsewhere.
// `--architecture arm64` writes only the first one, for another processor, into dist/image/arm64: Node comes from npm, the libraries from Debian.
import { createHash } from 'node:crypto'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { type Base, baseHere } from './image/base.ts'
import { controllerBill } from './image/bill.ts'
import { staticBusybox } from './image/busybox.ts'
import { controllerImage, runnerImage } from './image/contents.ts'
import { baseOf, isProcessor, type Processor } from './image/foreign.ts'
import { architectureHere, type Image, writeLayout } from './image/layout.ts'

const root = path.dirname(import.meta.dirname)
const images = path.join(root, 'dist/image')

const { architecture } = parseArgs({ options: { architecture: { type: 'string' } } }).values
if (process.platform !== 'linux') fail(`npm run image needs Linux, and this is ${process.platform}`)
const { version } = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8')) as { version: string }
if (architecture === undefined) await writeHere()
else if (isProcessor(architecture)) await writeForeign(architecture)
else fail(`There is no image for the processor "${architecture}"`)

async function writeHere(): Promise<void> {
  const busybox = await staticBusybox()
  if (busybox.lacking !== undefined) fail(`npm run image needs ${busybox.lacking}`)
  await writeController(images, await baseHere())
  const name = `localhost/dayfly-runner:${version}`
  const runner = await runnerImage(distOf('forge-emulators'), name, busybox.program)
  await write(path.join(images, 'dayfly-runner.tar'), runner, architectureHere())
}

async function writeForeign(processor: Processor): Promise<void> {
  const found = await baseOf(processor)
  if (found.is === 'missing') fail(`There is no image, because ${found.why}`)
  await writeController(path.join(images, processor), found.base)
}

async function writeController(folder: string, base: Base): Promise<void> {
  await mkdir(folder, { recursive: true })
  const dist = distOf('controller')
  await replace(path.join(folder, 'dayfly.cdx.json'), await controllerBill(dist, version, base))
  const image = await controllerImage(dist, `localhost/dayfly:${version}`, base)
  await write(path.join(folder, 'dayfly.tar'), image, base.architecture)
}

async function write(file: string, image: Image, architecture: string): Promise<void> {
  const archive = writeLayout([image], architecture)
  await replace(file, archive)
  const digest = createHash('sha256').update(archive).digest('hex').slice(0, 12)
  const place = `${image.names.join(', ')} in ${path.relative(root, file)}`
  process.stderr.write(`${place}: ${Math.round(archive.length / 1e6)} MB, sha256 ${digest}\n`)
}

/** Writes a file that another process may read at this moment. */
async function replace(file: string, content: Buffer | string): Promise<void> {
  const written = `${file}.${process.pid}`
  await writeFile(written, content)
  await rename(written, file)
}

function distOf(name: string): string {
  return path.join(root, 'packages', name, 'dist')
}

function fail(sentence: string): never {
  process.stderr.write(`${sentence}. Build the images with deploy/Containerfile instead.\n`)
  process.exit(1)
}

// Writes dist/image/dayfly.tar and dist/image/dayfly-runner.tar: images in the OCI layout, without a registry and without Docker.
// dist/image/dayfly.cdx.json is the bill of materials of the first one.
// Needs Linux, because the images contain this machine's Node with its libraries. deploy/Containerfile builds the same elsewhere.
import { createHash } from 'node:crypto'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { controllerBill } from './image/bill.ts'
import { staticBusybox } from './image/busybox.ts'
import { controllerImage, runnerImage } from './image/contents.ts'
import { architectureHere, type Image, writeLayout } from './image/layout.ts'

const root = path.dirname(import.meta.dirname)
const folder = path.join(root, 'dist/image')

if (process.platform !== 'linux') fail(`npm run image needs Linux, and this is ${process.platform}`)
const busybox = await staticBusybox()
if (busybox.lacking !== undefined) fail(`npm run image needs ${busybox.lacking}`)
const { version } = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8')) as { version: string }
await mkdir(folder, { recursive: true })
const bill = await controllerBill(distOf('controller'), version, architectureHere())
await replace('dayfly.cdx.json', bill)
await write('dayfly.tar', await controllerImage(distOf('controller'), `localhost/dayfly:${version}`))
await write(
  'dayfly-runner.tar',
  await runnerImage(distOf('forge-emulators'), `localhost/dayfly-runner:${version}`, busybox.program),
)

async function write(file: string, image: Image): Promise<void> {
  const archive = writeLayout([image], architectureHere())
  await replace(file, archive)
  const digest = createHash('sha256').update(archive).digest('hex').slice(0, 12)
  process.stderr.write(
    `${image.names.join(', ')} in dist/image/${file}: ${Math.round(archive.length / 1e6)} MB, sha256 ${digest}\n`,
  )
}

/** Writes a file that another process may read at this moment. */
async function replace(file: string, content: Buffer | string): Promise<void> {
  const written = path.join(folder, `${file}.${process.pid}`)
  await writeFile(written, content)
  await rename(written, path.join(folder, file))
}

function distOf(name: string): string {
  return path.join(root, 'packages', name, 'dist')
}

function fail(sentence: string): never {
  process.stderr.write(`${sentence}. Build the images with deploy/Containerfile instead.\n`)
  process.exit(1)
}

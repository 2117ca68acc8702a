// Images on a host without images: a table maps the few that stand for a program on this host; of any other only the name is kept.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ImageVerdict, PullPolicy } from '../runtime.ts'

/** What an image stands for on this host. */
export type ImageProgram = {
  /** Where the image has its program, for example `/home/runner/run.sh`. */
  readonly entrypoint: string
  /** What runs in its stead: a program of this host and its first arguments. */
  readonly program: readonly string[]
}

export type InstalledImage = { readonly entrypoint: string; readonly file: string }

/** Writes a start script for each image into the data directory, to be linked into containers. */
export function installImages(
  data: string,
  images: Readonly<Record<string, ImageProgram>>,
): ReadonlyMap<string, InstalledImage> {
  const directory = join(data, 'images')
  mkdirSync(directory, { recursive: true })
  const installed = new Map<string, InstalledImage>()
  for (const [image, { entrypoint, program }] of Object.entries(images)) {
    const file = join(directory, String(installed.size))
    writeFileSync(file, `#!/bin/sh\nexec ${program.map(quote).join(' ')} "$@"\n`, { mode: 0o755 })
    installed.set(image, { entrypoint, file })
  }
  return installed
}

/** Kubernetes' verdicts and words, as far as they exist without a registry. */
export function judgeImage(image: string, policy: PullPolicy, known: boolean, hasCommand: boolean): ImageVerdict {
  const fault = referenceFault(image)
  if (fault) {
    const message = `Failed to apply default image tag "${image}": couldn't parse image name "${image}": ${fault}`
    return { is: 'refused', reason: 'InvalidImageName', message }
  }
  if (known || hasCommand) return { is: 'present', imageId: image }
  if (policy === 'Never') {
    const message = `Container image "${image}" is not present with pull policy of Never`
    return { is: 'refused', reason: 'ErrImageNeverPull', message }
  }
  const message = `no program on this host stands for image "${image}" and the container has no command: give the container a command, or add the image to the runtime's table of images`
  return { is: 'refused', reason: 'ErrImagePull', message }
}

const component = '[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*'
const domain =
  '(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])(?:\\.(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9]))*(?::[0-9]+)?'
const rest = '(?::[\\w][\\w.-]{0,127})?(?:@[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,})?'
const reference = new RegExp(`^(?:${domain}/)?${component}(?:/${component})*${rest}$`)

function referenceFault(image: string): string | undefined {
  if (image.length <= 512 && reference.test(image)) return undefined
  if (image.length <= 512 && reference.test(image.toLowerCase())) {
    return `invalid reference format: repository name (${image}) must be lowercase`
  }
  return 'invalid reference format'
}

function quote(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`
}

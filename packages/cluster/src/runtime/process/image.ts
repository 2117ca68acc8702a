// Images on a host without images. A table maps some images to programs of this host. Other images are only names.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ImageVerdict, PullPolicy } from '../runtime.ts'

/** The program of this host that replaces an image. */
export type ImageProgram = {
  /** The path of the program in the image, for example `/home/runner/run.sh`. */
  readonly entrypoint: string
  /** The program of this host that runs instead, and its first arguments. */
  readonly program: readonly string[]
}

export type InstalledImage = { readonly entrypoint: string; readonly file: string }

/** Finds an image of the table. */
export type ImageLookup = (image: string) => InstalledImage | undefined

/**
 * Writes a start script for each image into the data directory. Containers get a link to it. A name without a tag stands for each tag
 * that the table does not name.
 */
export function installImages(data: string, images: Readonly<Record<string, ImageProgram>>): ImageLookup {
  const directory = join(data, 'images')
  mkdirSync(directory, { recursive: true })
  const installed = new Map<string, InstalledImage>()
  for (const [image, { entrypoint, program }] of Object.entries(images)) {
    const file = join(directory, String(installed.size))
    writeFileSync(file, `#!/bin/sh\nexec ${program.map(quote).join(' ')} "$@"\n`, { mode: 0o755 })
    installed.set(image, { entrypoint, file })
  }
  return (image) => installed.get(image) ?? installed.get(withoutTag(image))
}

function withoutTag(image: string): string {
  return image.replace(/(?::[^:/@]+)?(?:@[^/]+)?$/, '')
}

/** Decides whether an image can be used, with Kubernetes' reasons and messages. */
export function judgeImage(image: string, policy: PullPolicy, known: boolean, hasCommand: boolean): ImageVerdict {
  const fault = referenceFault(image)
  if (fault) {
    const message = `Failed to apply default image tag "${image}": couldn't parse image name "${image}": ${fault}`
    return { is: 'refused', reason: 'InvalidImageName', message }
  }
  if (known || hasCommand) return { is: 'present' }
  if (policy === 'Never') {
    const message = `Container image "${image}" is not present with pull policy of Never`
    return { is: 'refused', reason: 'ErrImageNeverPull', message }
  }
  const message = `image "${image}" has no program on this host, and the container has no command. Give the container a command, or add the image to the runtime's table of images.`
  return { is: 'refused', reason: 'ErrImagePull', message }
}

const component = '[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*'
const domain =
  '(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])(?:\\.(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9]))*(?::[0-9]+)?'
const rest = '(?::[\\w][\\w.-]{0,127})?(?:@[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,})?'
const reference = new RegExp(`^(?:${domain}/)?${component}(?:/${component})*${rest}$`)

function referenceFault(image: string): string | undefined {
  const name = repositoryOf(image)
  if (name !== name.toLowerCase()) return `invalid reference format: repository name (${name}) must be lowercase`
  return image.length <= 512 && reference.test(image) ? undefined : 'invalid reference format'
}

/** Returns the image's name without its registry and tag. A first part with a dot, a colon or a capital is a registry. */
function repositoryOf(image: string): string {
  const [first = '', ...others] = image.split('/')
  const hasRegistry = others.length > 0 && (/[.:A-Z]/.test(first) || first === 'localhost')
  const path = hasRegistry ? others.join('/') : others.length > 0 ? image : `library/${image}`
  return path.split(':')[0] ?? ''
}

function quote(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`
}

// Builds an archive of images in the OCI layout (https://github.com/opencontainers/image-spec/blob/main/image-layout.md) for `ctr images import`.
import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { type TarEntry, withFolders, writeTar } from './tar.ts'

/** A compressed layer with the digest of its content. */
export type Layer = { readonly compressed: Buffer; readonly contentDigest: string }

export type Image = {
  /** The full names, such as localhost/dayfly:0.1.0. */
  readonly names: readonly string[]
  /** From the lowest to the uppermost. */
  readonly layers: readonly Layer[]
  /** Fields of the OCI image configuration: `User`, `Entrypoint`, `Env` and others. */
  readonly configuration: Readonly<Record<string, unknown>>
}

type Descriptor = { readonly mediaType: string; readonly digest: string; readonly size: number }

const oci = 'application/vnd.oci.image'

/** Compresses the entries. The same entries give the same bytes. */
export function createLayer(entries: readonly TarEntry[]): Layer {
  const content = writeTar(withFolders(entries))
  return { compressed: gzipSync(content, { level: 6 }), contentDigest: digestOf(content) }
}

/** Returns the archive. Images may share layers. @param architecture Go's name of the processor */
export function writeLayout(images: readonly Image[], architecture: string): Buffer {
  const blobs = new Map<string, Buffer>()
  const put = (content: Buffer, mediaType: string): Descriptor => {
    const digest = digestOf(content)
    blobs.set(digest.replace('sha256:', 'blobs/sha256/'), content)
    return { mediaType, digest, size: content.length }
  }
  const putJson = (value: object, mediaType: string) => put(Buffer.from(JSON.stringify(value)), mediaType)
  const manifests = images.flatMap(({ names, layers, configuration }) => {
    const rootfs = { type: 'layers', diff_ids: layers.map(({ contentDigest }) => contentDigest) }
    const config = putJson({ architecture, os: 'linux', config: configuration, rootfs }, `${oci}.config.v1+json`)
    const mediaType = `${oci}.manifest.v1+json`
    const stored = layers.map(({ compressed }) => put(compressed, `${oci}.layer.v1.tar+gzip`))
    const manifest = putJson({ schemaVersion: 2, mediaType, config, layers: stored }, mediaType)
    return names.map((name) => ({ ...manifest, annotations: annotationsOf(name) }))
  })
  const index = { schemaVersion: 2, mediaType: `${oci}.index.v1+json`, manifests }
  const file = (path: string, content: Buffer): TarEntry => ({ kind: 'file', path, mode: 0o644, content })
  return writeTar(
    withFolders([
      file('oci-layout', Buffer.from(JSON.stringify({ imageLayoutVersion: '1.0.0' }))),
      file('index.json', Buffer.from(JSON.stringify(index))),
      ...[...blobs].map(([path, content]) => file(path, content)),
    ]),
  )
}

/** containerd reads the full name, and other tools the tag. */
function annotationsOf(name: string) {
  return {
    'io.containerd.image.name': name,
    'org.opencontainers.image.ref.name': name.slice(name.lastIndexOf(':') + 1),
  }
}

/** Returns Go's name of this machine's processor. */
export function architectureHere(): string {
  return process.arch === 'x64' ? 'amd64' : process.arch
}

function digestOf(content: Buffer): string {
  return `sha256:${createHash('sha256').update(content).digest('hex')}`
}

// A registry with one image, whose only layer comes a byte a second: the node pulls it for hours.
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

const digestOf = (text: string) => `sha256:${createHash('sha256').update(text).digest('hex')}`
const architecture = process.arch === 'x64' ? 'amd64' : process.arch
const layer = digestOf('the layer that never comes')
const layerSize = 50_000_000
const config = JSON.stringify({ architecture, os: 'linux', config: {}, rootfs: { type: 'layers', diff_ids: [layer] } })
const manifestType = 'application/vnd.oci.image.manifest.v1+json'
const manifest = JSON.stringify({
  schemaVersion: 2,
  mediaType: manifestType,
  config: { mediaType: 'application/vnd.oci.image.config.v1+json', digest: digestOf(config), size: config.length },
  layers: [{ mediaType: 'application/vnd.oci.image.layer.v1.tar+gzip', digest: layer, size: layerSize }],
})

/** Loopback addresses are registries without TLS for containerd. */
export async function openSlowRegistry() {
  const server = createServer(({ url = '', method }, response) => {
    if (url.includes(layer)) return trickle(response)
    const isManifest = url.includes('/manifests/')
    const text = isManifest ? manifest : url.includes(digestOf(config)) ? config : '{}'
    const type = isManifest ? manifestType : 'application/json'
    response.writeHead(200, {
      'content-type': type,
      'content-length': text.length,
      'docker-content-digest': digestOf(text),
    })
    response.end(method === 'HEAD' ? undefined : text)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    image: `127.0.0.1:${port}/slow:1`,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

function trickle(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': layerSize })
  const timer = setInterval(() => response.write('x'), 1_000)
  response.on('close', () => clearInterval(timer))
}

// Builds images without a registry. All have one layer with busybox and a fake of each program in the doctor's samples.
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmod, copyFile, mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

const bitbucket = 'docker-public.packages.atlassian.com/sox/atlassian/bitbucket-pipelines-runner'
const runners = ['2.329.0', 'latest']
  .map((tag) => `ghcr.io/actions/actions-runner:${tag}`)
  .concat(`${bitbucket}:1`, `${bitbucket}:latest`)

/** The entry point of each image and its names in containerd. */
const images: readonly { readonly entry: readonly string[]; readonly names: readonly string[] }[] = [
  {
    entry: ['/bin/wait-for-term'],
    names: ['localhost/pause:1', ...registry('agent:1', 'metrics:1', 'api:1', 'exporter:1')],
  },
  { entry: ['/bin/sh'], names: ['localhost/busybox:1'] },
  {
    entry: ['dockerd-entrypoint.sh'],
    names: ['dind', '27-dind', '27.5.1-dind'].map((tag) => `docker.io/library/docker:${tag}`),
  },
  {
    entry: ['/home/runner/run.sh'],
    names: [...runners, ...registry('bitbucket-pipelines-runner:6')],
  },
  { entry: ['/bin/true'], names: registry('export:1', 'clean:1') },
]

/** The fake programs. `dockerd` answers `docker info` after one second, until a signal ends it. The runner works for five seconds by default. */
const scripts: Readonly<Record<string, string>> = {
  'bin/wait-for-term': 'trap "exit 0" TERM INT\nwhile :; do sleep 3600 & wait $!; done',
  'bin/dockerd':
    'trap "rm -f /var/run/docker.sock; exit 0" TERM INT\nsleep 1\n: >/var/run/docker.sock\nwhile :; do sleep 3600 & wait $!; done',
  'bin/dockerd-entrypoint.sh': '[ "$1" = dockerd ] && shift\nexec dockerd "$@"',
  'bin/docker': 'test -e /var/run/docker.sock',
  'home/runner/run.sh': 'trap "exit 143" TERM\nsleep "${WORK_SECONDS:-5}" & wait $!',
}

/** Writes an archive for `ctr images import`. @param folder an empty temporary folder. */
export async function writeImages(folder: string, busybox: string): Promise<string> {
  const root = path.join(folder, 'root')
  const layout = path.join(folder, 'layout')
  const blobs = path.join(layout, 'blobs/sha256')
  await mkdir(blobs, { recursive: true })
  await layRoot(root, busybox)
  const layer = path.join(folder, 'layer.tar')
  await run('tar', ['-cf', layer, '--owner=0', '--group=0', '-C', root, '.'])
  const put = async (content: Buffer, mediaType: string) => {
    const digest = createHash('sha256').update(content).digest('hex')
    await writeFile(path.join(blobs, digest), content)
    return { mediaType, digest: `sha256:${digest}`, size: content.length }
  }
  const putJson = (value: object, mediaType: string) => put(Buffer.from(JSON.stringify(value)), mediaType)
  const oci = 'application/vnd.oci.image'
  const layers = [await put(await readFile(layer), `${oci}.layer.v1.tar`)]
  const manifests: object[] = []
  for (const { entry, names } of images) {
    const rootfs = { type: 'layers', diff_ids: layers.map(({ digest }) => digest) }
    const configuration = { Entrypoint: entry, Env: ['PATH=/bin'], WorkingDir: '/' }
    const config = await putJson(
      { architecture: architecture(), os: 'linux', config: configuration, rootfs },
      `${oci}.config.v1+json`,
    )
    const mediaType = `${oci}.manifest.v1+json`
    const manifest = await putJson({ schemaVersion: 2, mediaType, config, layers }, mediaType)
    for (const name of names) manifests.push({ ...manifest, annotations: { 'io.containerd.image.name': name } })
  }
  await writeFile(path.join(layout, 'oci-layout'), JSON.stringify({ imageLayoutVersion: '1.0.0' }))
  await writeFile(path.join(layout, 'index.json'), JSON.stringify({ schemaVersion: 2, manifests }))
  const archive = path.join(folder, 'images.tar')
  await run('tar', ['-cf', archive, '-C', layout, '.'])
  return archive
}

async function layRoot(root: string, busybox: string): Promise<void> {
  for (const name of ['bin', 'etc', 'tmp', 'home/runner/externals', 'home/runner/tmpDir', 'var/run'])
    await mkdir(path.join(root, name), { recursive: true })
  await chmod(path.join(root, 'tmp'), 0o1777)
  await copyFile(busybox, path.join(root, 'bin/busybox'))
  const { stdout } = await run(busybox, ['--list'])
  for (const applet of stdout.trim().split('\n'))
    if (applet !== 'busybox') await symlink('busybox', path.join(root, 'bin', applet))
  await writeFile(
    path.join(root, 'etc/passwd'),
    'root:x:0:0:root:/root:/bin/sh\nrunner:x:1001:1001::/home/runner:/bin/sh\n',
  )
  for (const [name, script] of Object.entries(scripts)) {
    await writeFile(path.join(root, name), `#!/bin/sh\n${script}\n`)
    await chmod(path.join(root, name), 0o755)
  }
}

function registry(...names: readonly string[]): readonly string[] {
  return names.map((name) => `registry.example/${name}`)
}

function architecture(): string {
  return process.arch === 'x64' ? 'amd64' : process.arch
}

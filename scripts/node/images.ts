// Builds images without a registry. All have one layer with busybox and a fake of each program in the doctor's samples.
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { busyboxEntries } from '../image/busybox.ts'
import { architectureHere, createLayer, writeLayout } from '../image/layout.ts'
import type { TarEntry } from '../image/tar.ts'

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
    names: ['dind', '27-dind', '27.5.1-dind', '28.5.2-dind'].map((tag) => `docker.io/library/docker:${tag}`),
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
  'bin/docker-init': '[ "$1" = -- ] && shift\nexec "$@"',
  'bin/docker': 'test -e /var/run/docker.sock',
  'home/runner/run.sh': 'trap "exit 143" TERM\nsleep "${WORK_SECONDS:-5}" & wait $!',
}

/** Writes an archive for `ctr images import`. @param folder an empty temporary folder. */
export async function writeImages(folder: string, busybox: string): Promise<string> {
  const layers = [createLayer(await rootEntries(busybox))]
  const all = images.map(({ entry, names }) => ({
    names,
    layers,
    configuration: { Entrypoint: entry, Env: ['PATH=/bin'], WorkingDir: '/' },
  }))
  const archive = path.join(folder, 'images.tar')
  await writeFile(archive, writeLayout(all, architectureHere()))
  return archive
}

async function rootEntries(busybox: string): Promise<readonly TarEntry[]> {
  const folders = ['home/runner/externals', 'home/runner/tmpDir', 'var/run']
  const accounts = 'root:x:0:0:root:/root:/bin/sh\nrunner:x:1001:1001::/home/runner:/bin/sh\n'
  const text = (path: string, content: string, mode: number): TarEntry => {
    return { kind: 'file', path, mode, content: Buffer.from(content) }
  }
  return [
    ...folders.map((path): TarEntry => ({ kind: 'folder', path, mode: 0o755 })),
    { kind: 'folder', path: 'tmp', mode: 0o1777 },
    ...(await busyboxEntries(busybox)),
    text('etc/passwd', accounts, 0o644),
    ...Object.entries(scripts).map(([name, script]) => text(name, `#!/bin/sh\n${script}\n`, 0o755)),
  ]
}

function registry(...names: readonly string[]): readonly string[] {
  return names.map((name) => `registry.example/${name}`)
}

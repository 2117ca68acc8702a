// A registry of images for the node: pages of the guide push to it, and the kubelet pulls from it. It also answers for registries of the Internet.
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { clock } from '../client-place.ts'
import { nodeOfRun } from './images.ts'

const run = promisify(execFile)
const program = 'crane'

/** Loopback addresses are registries without TLS for crane and containerd. The network namespace is the node's own. */
const address = '127.0.0.1:5000'

export type GuideRegistry = Awaited<ReturnType<typeof openRegistry>>

/** Starts the registry. @param names of the registries for which it answers, too */
export async function openRegistry(names: readonly string[]) {
  const server: ChildProcess = spawn(program, ['registry', 'serve', '--address', address], { stdio: 'ignore' })
  const folders = names.map((name) => path.join(nodeOfRun().run, 'registries', name))
  const hosts = `server = "http://${address}"\n\n[host."http://${address}"]\ncapabilities = ["pull", "resolve"]\n`
  for (const folder of folders) {
    await mkdir(folder, { recursive: true })
    await writeFile(path.join(folder, 'hosts.toml'), hosts)
  }
  await until(async () => (await fetch(`http://${address}/v2/`)).ok)
  return {
    address,
    /** Pushes an archive in the OCI layout. @param folder an empty folder for its files */
    push: async (archive: string, folder: string, image: string) => {
      await mkdir(folder, { recursive: true })
      await run('tar', ['-xf', archive, '-C', folder])
      await run(program, ['push', folder, `${address}/${image}`])
    },
    close: async () => {
      server.kill()
      for (const folder of folders) await rm(folder, { recursive: true })
    },
  }
}

async function until(answers: () => Promise<boolean>): Promise<void> {
  const end = clock.now() + 20_000
  for (;;) {
    if (await answers().catch(() => false)) return
    if (clock.now() > end) throw new Error('the registry does not answer')
    await clock.sleep(100)
  }
}

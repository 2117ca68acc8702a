// Tests the images of `npm run image`: the same bytes again, and programs that run in nothing but their own root file system.
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it as test } from 'vitest'
import { staticBusybox } from '../../../scripts/image/busybox.ts'
import { controllerImage, runnerImage } from '../../../scripts/image/contents.ts'
import { baseOf } from '../../../scripts/image/foreign.ts'
import { architectureHere, type Image, writeLayout } from '../../../scripts/image/layout.ts'
import { librariesOf } from '../../../scripts/image/programs.ts'

const run = promisify(execFile)

describe('the images', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'dayfly-roots-'))
  let obstacle: string | undefined
  let controller: Image
  let runner: Image
  let busybox = ''

  beforeAll(async () => {
    const found = await staticBusybox()
    if (process.platform !== 'linux' || process.getuid?.() !== 0) obstacle = 'this test needs Linux and root'
    obstacle ??= found.lacking && `this machine lacks ${found.lacking}`
    if (obstacle) return
    busybox = found.program
    controller = await controllerImage(path.resolve('packages/controller/dist'), 'localhost/dayfly:1')
    runner = await runnerImage(path.resolve('packages/forge-emulators/dist'), 'localhost/dayfly-runner:1', busybox)
    for (const [name, image] of [
      ['controller', controller],
      ['runner', runner],
    ] as const)
      await unpack(name, image)
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  function it(title: string, body: () => Promise<void>): void {
    test(title, async (context) => {
      if (obstacle) context.skip(obstacle)
      await body()
    })
  }

  async function unpack(name: string, { layers }: Image): Promise<void> {
    const root = path.join(folder, name)
    mkdirSync(root)
    for (const { compressed } of layers) {
      const archive = path.join(folder, 'layer.tar.gz')
      writeFileSync(archive, compressed)
      await run('tar', ['-xzf', archive, '-C', root])
    }
    mkdirSync(path.join(root, 'dev'), { recursive: true })
    // A container runtime adds these devices.
    await run('mknod', ['-m', '666', path.join(root, 'dev/null'), 'c', '1', '3'])
    await run('mknod', ['-m', '666', path.join(root, 'dev/urandom'), 'c', '1', '9'])
  }

  /** Runs a program as the image's user, with the image's environment alone. */
  async function inside(name: string, { configuration }: Image, ...command: readonly string[]) {
    const [user, environment] = [configuration['User'], configuration['Env']] as [string, readonly string[]]
    const args = [`--userspec=${user}`, path.join(folder, name), '/usr/bin/env', '-i', ...environment, ...command]
    // The controller's image has no env: the variables come from this process.
    const env = Object.fromEntries(environment.map((each) => each.split(/=(.*)/s).slice(0, 2)))
    const all = name === 'runner' ? args : [args[0] ?? '', args[1] ?? '', ...command]
    return await run('chroot', all, { env: { ...env, PATH: `${process.env['PATH']}` } })
  }

  it('have the same bytes when they are built again', async () => {
    const digest = (image: Image) =>
      createHash('sha256')
        .update(writeLayout([image], architectureHere()))
        .digest('hex')
    expect(
      digest(await runnerImage(path.resolve('packages/forge-emulators/dist'), 'localhost/dayfly-runner:1', busybox)),
    ).toBe(digest(runner))
  })

  it('run the controller, and no other command', async () => {
    const entry = controller.configuration['Entrypoint'] as readonly string[]
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }
    expect((await inside('controller', controller, ...entry, '--version')).stdout.trim()).toBe(version)
    expect((await inside('controller', controller, ...entry, 'controller', '--help')).stdout).toContain(
      '--health-address',
    )
    const absent = await inside('controller', controller, ...entry, 'controller').catch((error: unknown) => error)
    expect(absent).toMatchObject({ code: 2, stderr: expect.stringContaining('No kubeconfig was found') })
    const other = await inside('controller', controller, ...entry, 'doctor').catch((error: unknown) => error)
    expect(other).toMatchObject({ code: 2, stderr: expect.stringContaining('There is no command "doctor"') })
  })

  it('start the runner by its script, which reports the missing credential', async () => {
    const [entry = ''] = runner.configuration['Entrypoint'] as readonly string[]
    const { stdout } = await inside('runner', runner, entry)
    expect(stdout).toContain('Set ACTIONS_RUNNER_INPUT_JITCONFIG')
  })

  it('have the programs that steps need, as a user who is not root', async () => {
    const script =
      'id -u; cd /tmp && git init -q a && cd a && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m one && git clone -q . ../b && git -C ../b log --format=%s; node -p 6*7; touch /root-file 2>/dev/null || echo refused'
    const { stdout, stderr } = await inside('runner', runner, '/bin/bash', '-c', script)
    expect(stdout.trim().split('\n')).toEqual(['1001', 'one', '42', 'refused'])
    expect(stderr).not.toMatch(/error|fatal/)
  })
})

test('the image for another processor has only programs and libraries of that one', async (context) => {
  const found = await baseOf(architectureHere() === 'amd64' ? 'arm64' : 'amd64')
  if (found.is === 'missing') return context.skip(found.why)
  const { architecture, entries } = found.base
  const programs = entries.flatMap((entry) => (entry.kind === 'file' && isElf(entry.content) ? [entry] : []))
  // The header of ELF names the processor.
  const machines = { amd64: 62, arm64: 183 } as const
  const machine = architecture === 'amd64' ? machines.amd64 : machines.arm64
  expect(programs.map(({ path, content }) => [path, content.readUInt16LE(18)])).toEqual(
    programs.map(({ path }) => [path, machine]),
  )
  const here = (await librariesOf([process.execPath])).map((entry) => path.basename(entry.path))
  const names = programs.map((entry) => path.basename(entry.path))
  expect(names).toEqual(expect.arrayContaining(here.filter((name) => !name.startsWith('ld-'))))
  expect(names.filter((name) => name.startsWith('ld-'))).toHaveLength(1)
})

function isElf(content: Buffer): boolean {
  return content.subarray(0, 4).toString('latin1') === '\x7fELF'
}

// Without a collector, the controller's process loads no code of OpenTelemetry: the bundle has it in a chunk of its own.
import path from 'node:path'
import { build, type Metafile } from 'esbuild'
import { expect, test } from 'vitest'

type Output = Metafile['outputs'][string]

const root = path.resolve(import.meta.dirname, '../..')
/** prom-client needs OpenTelemetry's small API package in any case. */
const isOpenTelemetry = (input: string) => /node_modules\/@opentelemetry\/(?!api\/)/.test(input)
const has = ({ inputs }: Output) => Object.keys(inputs).some(isOpenTelemetry)

test('the controller loads the chunks of OpenTelemetry only by a dynamic import of the telemetry', async () => {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: ['packages/controller/src/main.ts'],
    outdir: 'dist',
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    metafile: true,
    write: false,
  })
  const outputs = new Map(Object.entries(metafile.outputs))
  const command = [...outputs].find(([, { entryPoint }]) => entryPoint?.endsWith('command/controller.ts'))
  const sdk = [...outputs].find(([, { entryPoint }]) => entryPoint?.endsWith('telemetry/src/sdk.ts'))
  expect(command?.[1].imports).toContainEqual({ path: sdk?.[0], kind: 'dynamic-import' })
  const loaded = new Set(command ? [command[0]] : [])
  for (const file of loaded) {
    const statics = outputs.get(file)?.imports.filter(({ kind, external }) => kind === 'import-statement' && !external)
    for (const each of statics ?? []) loaded.add(each.path)
  }
  expect([...loaded].filter((file) => has(outputs.get(file) as Output))).toEqual([])
  const inSdk = Object.keys(sdk?.[1].inputs ?? {}).filter(isOpenTelemetry)
  expect(inSdk.length).toBeGreaterThan(50)
})

// Writes deploy/manifests from the chart. Needs helm, or Go to build it: npx tsx scripts/generate-manifests.ts
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { renderManifests } from './chart/manifests.ts'
import { buildProgram } from './chart/programs.ts'
import { onInterruption } from './control-plane/run-beside.ts'

const helm = await buildProgram('helm', onInterruption())
if (helm.is === 'missing') throw new Error(`helm cannot be built: ${helm.why}`)
for (const [file, text] of await renderManifests(helm.program)) {
  const target = path.resolve(import.meta.dirname, '..', file)
  mkdirSync(path.dirname(target), { recursive: true })
  writeFileSync(target, text)
}

// Writes dist/manifests, for installations without Helm. It renders the chart with the installed helm, or builds one with Go.
import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { renderManifests } from './chart/manifests.ts'
import { buildProgram } from './control-plane/build.ts'
import { onInterruption } from './control-plane/run-beside.ts'

const folder = path.resolve(import.meta.dirname, '../dist/manifests')

const manifests = await renderManifests(await findHelm())
mkdirSync(folder, { recursive: true })
for (const [name, text] of manifests) writeFileSync(path.join(folder, name), text)
process.stderr.write(`wrote dist/manifests: ${[...manifests.keys()].join(', ')}\n`)

async function findHelm(): Promise<string> {
  try {
    execFileSync('helm', ['version'], { stdio: 'ignore' })
    return 'helm'
  } catch {
    const helm = await buildProgram('helm', onInterruption())
    if (helm.is === 'built') return helm.program
    throw new Error(`npm run manifests needs helm or Go, and found neither: ${helm.why}`)
  }
}

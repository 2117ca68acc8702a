// Writes the files that are generated from the doctor's rules: npx tsx scripts/generate-rules.ts
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { generatedFiles } from './generated.ts'

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const files = generatedFiles()
for (const [file, text] of files) writeFileSync(path.join(root, file), text)
const schemas = [...files.keys()].filter((file) => file.endsWith('.json'))
execFileSync('npx', ['biome', 'format', '--write', ...schemas], { cwd: root })
process.stderr.write(`wrote ${files.size} files\n`)

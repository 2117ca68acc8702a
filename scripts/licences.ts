// Collects the licences of the bundled packages. The bundle ships with them.
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'

/** Returns one text for all packages with files in `inputs` (the bundler's paths from the root). Throws if a package has no licence. */
export async function bundledLicences(root: string, inputs: readonly string[]): Promise<string> {
  const folders = new Set(inputs.map(packageFolder).filter((folder) => folder !== undefined))
  const parts: string[] = []
  for (const folder of [...folders].sort()) {
    const { name, version, license } = JSON.parse(await readFile(path.join(root, folder, 'package.json'), 'utf8'))
    if (!license) throw new Error(`${name} has no licence`)
    const file = (await readdir(path.join(root, folder))).find((entry) => /^licen[cs]e/i.test(entry))
    const text = file ? await readFile(path.join(root, folder, file), 'utf8') : `Licence: ${license}\n`
    parts.push(`${name} ${version}\n${'-'.repeat(70)}\n${text.trim()}\n`)
  }
  return `Dayfly's bundle contains the following packages.\n\n${parts.join('\n\n')}`
}

/** Returns the folder of the package that contains the file. Returns undefined for Dayfly's own files. */
function packageFolder(input: string): string | undefined {
  return /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1]
}

// The licences of what is bundled: whoever gets the bundle gets them with it.
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'

/** One text for all packages whose files are among `inputs` (paths from the root, as the bundler tells them). Throws for a package that has no licence. */
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

/** The innermost package that holds the file; undefined for our own. */
function packageFolder(input: string): string | undefined {
  return /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1]
}

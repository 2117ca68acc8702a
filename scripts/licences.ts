// Collects the packages that a bundle contains. The bundle ships with their licences and with a bill of materials.
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { npmUrl, writeBill } from './bill.ts'

/** A package whose files are in a bundle. */
export type BundledPackage = {
  readonly name: string
  readonly version: string
  /** An expression of SPDX. */
  readonly license: string
  /** The folder of the installed package. */
  readonly folder: string
}

/** Returns the packages with files in `inputs` (the bundler's paths from the root). Throws if a package has no licence. */
export async function bundledPackages(root: string, inputs: readonly string[]): Promise<readonly BundledPackage[]> {
  const folders = new Set(inputs.map(packageFolder).filter((folder) => folder !== undefined))
  const packages = [...folders].sort().map(async (name): Promise<BundledPackage> => {
    const folder = path.join(root, name)
    const manifest = JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8'))
    if (!manifest.license) throw new Error(`${manifest.name} has no licence`)
    return { name: manifest.name, version: manifest.version, license: manifest.license, folder }
  })
  return await Promise.all(packages)
}

/** Returns one text for all packages. */
export async function licencesOf(packages: readonly BundledPackage[]): Promise<string> {
  const parts = packages.map(async ({ name, version, license, folder }) => {
    const file = (await readdir(folder)).find((entry) => /^licen[cs]e/i.test(entry))
    const text = file ? await readFile(path.join(folder, file), 'utf8') : `Licence: ${license}\n`
    return `${name} ${version}\n${'-'.repeat(70)}\n${text.trim()}\n`
  })
  return `Dayfly's bundle contains the following packages.\n\n${(await Promise.all(parts)).join('\n\n')}`
}

/** Returns the bill of materials of a bundle. @param name the npm package that has the bundle */
export function bundleBill(name: string, version: string, packages: readonly BundledPackage[]): string {
  return writeBill(
    { type: 'application', name, version, purl: npmUrl(name, version), license: 'Apache-2.0' },
    packages.map((each) => ({
      type: 'library',
      name: each.name,
      version: each.version,
      purl: npmUrl(each.name, each.version),
      license: each.license,
    })),
  )
}

/** Returns the folder of the package that contains the file. Returns undefined for Dayfly's own files. */
function packageFolder(input: string): string | undefined {
  return /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1]
}

// Reads the places of the repository that name the version of a release.
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { parse } from 'yaml'
import type { ReleaseFacts, StatedVersion } from './agreement.ts'
import { notesOf } from './notes.ts'

type Manifest = {
  readonly name: string
  readonly version?: string
  readonly private?: boolean
  readonly repository?: string | { readonly url?: string }
  readonly workspaces?: readonly string[]
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
}

const root = path.resolve(import.meta.dirname, '../..')

/** The folders of the two charts. */
export const charts = ['deploy/chart', 'deploy/chart-runner-set'] as const

export async function readFacts(): Promise<ReleaseFacts> {
  const top = await readManifest('package.json')
  const files = (top.workspaces ?? []).map((folder) => `${folder}/package.json`)
  const members = await Promise.all(files.map(async (file) => [file, await readManifest(file)] as const))
  const names = new Set(members.map(([, { name }]) => name))
  const packages = [['package.json', top] as const, ...members]
  const stated = packages.flatMap(([file, manifest]) => [
    { place: `${file}: version`, version: manifest.version },
    ...dependenciesOf(file, manifest, names),
  ])
  const version = top.version ?? 'missing'
  return {
    version,
    stated: [...stated, ...(await Promise.all(charts.map(chartVersions))).flat()],
    notes: notesOf(await readText('CHANGELOG.md'), version),
    repositories: new Map(publishable(members).map(([file, manifest]) => [file, repositoryOf(manifest)])),
  }
}

/** Returns the folders of the packages that npm gets. */
export async function publishedPackages(): Promise<readonly string[]> {
  const { workspaces = [] } = await readManifest('package.json')
  const members = workspaces.map(async (folder) => [folder, await readManifest(`${folder}/package.json`)] as const)
  return publishable(await Promise.all(members)).map(([folder]) => folder)
}

function publishable<Named extends readonly [string, Manifest]>(members: readonly Named[]): readonly Named[] {
  return members.filter(([, manifest]) => manifest.private !== true)
}

function dependenciesOf(file: string, manifest: Manifest, names: ReadonlySet<string>): readonly StatedVersion[] {
  return (['dependencies', 'devDependencies'] as const).flatMap((kind) =>
    Object.entries(manifest[kind] ?? {})
      .filter(([name]) => names.has(name))
      .map(([name, version]) => ({ place: `${file}: ${kind}.${name}`, version })),
  )
}

async function chartVersions(folder: string): Promise<readonly StatedVersion[]> {
  const file = `${folder}/Chart.yaml`
  const text = await readText(file)
  const chart = parse(text) as { readonly version?: string; readonly appVersion?: string }
  const images = [...text.matchAll(/image: localhost\/dayfly:(\S+)/g)].map(([, version]) => version)
  return [
    { place: `${file}: version`, version: chart.version },
    { place: `${file}: appVersion`, version: chart.appVersion },
    ...images.map((version) => ({ place: `${file}: annotations["artifacthub.io/images"]`, version })),
  ]
}

function repositoryOf({ repository }: Manifest): string | undefined {
  return typeof repository === 'string' ? repository : repository?.url
}

async function readManifest(file: string): Promise<Manifest> {
  return JSON.parse(await readText(file)) as Manifest
}

async function readText(file: string): Promise<string> {
  return await readFile(path.join(root, file), 'utf8')
}

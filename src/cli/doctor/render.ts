// A checked input → the text of the asked format.
import { existsSync } from 'node:fs'
import path from 'node:path'
import type { VersionFact } from '../../doctor/facts.ts'
import type { Finding } from '../../doctor/finding.ts'
import { fixFiles } from '../../doctor/fixes.ts'
import { reportGithub } from '../../doctor/reporters/github.ts'
import { reportJson } from '../../doctor/reporters/json.ts'
import { reportJunit } from '../../doctor/reporters/junit.ts'
import { reportPretty } from '../../doctor/reporters/pretty.ts'
import type { Preview, Report } from '../../doctor/reporters/report.ts'
import { reportSarif } from '../../doctor/reporters/sarif.ts'
import { catalogue } from '../../doctor/rules/catalogue.ts'
import type { DecodedFile } from '../../doctor/sources/document.ts'
import { resultHasColour } from '../output.ts'
import { version as tool } from '../version.ts'
import type { Checked } from './check-files.ts'
import { readPages } from './explain.ts'
import type { Format } from './options.ts'

type Input = { readonly checked: Checked; readonly files: readonly DecodedFile[]; readonly version: VersionFact }

export function render(format: Format, { checked, files, version }: Input): string {
  const mends = format === 'pretty' || format === 'json' || format === 'sarif'
  const report: Report = {
    ...checked,
    rules: catalogue,
    version,
    tool,
    texts: new Map(files.map(({ file }) => [file.path, file.text])),
    previews: mends ? previews(checked.findings, files) : new Map(),
    pages: format === 'sarif' ? readPages() : new Map(),
  }
  switch (format) {
    case 'pretty':
      return reportPretty(report, { colour: resultHasColour() })
    case 'json':
      return reportJson(report)
    case 'sarif':
      return reportSarif(report, { prefix: repositoryPrefix() })
    case 'github':
      return reportGithub(report, { prefix: repositoryPrefix() })
    case 'junit':
      return reportJunit(report)
  }
}

/** Each fix alone, as if no other were made. */
function previews(findings: readonly Finding[], files: readonly DecodedFile[]): ReadonlyMap<Finding, Preview> {
  const byPath = new Map(files.map((file) => [file.file.path, file]))
  const tried = new Map<Finding, Preview>()
  for (const finding of findings) {
    const file = finding.place && byPath.get(finding.place.file)
    if (!finding.fix || !file) continue
    let passes = 0
    const { changed, refused } = fixFiles(
      [file],
      () => (passes++ === 0 ? [finding] : []),
      () => true,
    )
    const after = changed[0]?.after.text
    if (after !== undefined) tried.set(finding, { after })
    else if (refused[0]) tried.set(finding, { refused: refused[0].reason })
  }
  return tried
}

/** The working folder as GitHub sees it: from the root of its repository, with a slash at the end. */
function repositoryPrefix(): string {
  const folder = process.cwd()
  let root = folder
  while (!existsSync(path.join(root, '.git'))) {
    if (root === path.dirname(root)) return ''
    root = path.dirname(root)
  }
  const relative = path.relative(root, folder)
  return relative === '' ? '' : `${relative.split(path.sep).join('/')}/`
}

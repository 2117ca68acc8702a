// Reads the pages of docs/guide in the order in which an operator works, as steps: commands, manifests and outputs.
import { readFileSync } from 'node:fs'
import path from 'node:path'

/** The pages in the order of an operator's work, on one installation. The last one begins again on an empty cluster. */
export const guidePages = [
  'install',
  'first-set',
  'operate',
  'metrics',
  'github',
  'bitbucket',
  'docker',
  'job-pods',
  'from-arc',
  'bitbucket-migration',
  'bitbucket-scaling',
  'security',
  'troubleshooting',
  'scale',
  'upgrade',
  'uninstall',
  'without-helm',
] as const

/** The page that needs no cluster. It repeats commands of the others. */
export const localPage = 'try-without-a-cluster'

/** The page with a real Gitea and an embedded cluster. */
export const giteaPage = 'gitea'

/** Pages whose blocks go to other programs than a shell or kubectl, each with the test that runs them. */
export const otherPages = {
  dashboard: 'test/browser/guide.test.ts',
  cost: 'packages/dashboard/src/store/read-lives.test.ts',
  'repeated-jobs': 'test/controller/rerun.test.ts',
  sizes: 'test/controller/sizes.test.ts',
  gitops: 'test/kubernetes/chart/gitops.test.ts',
  telemetry: 'test/kubernetes/collector.test.ts',
} as const

/** Pages for programs that no machine of the tests has. Each says so. */
export const unrunPages = ['kind-k3d-minikube'] as const

/** The page of the maintainers, which makes a release and installs it. */
export const releasePage = 'release'

export type GuidePage =
  | (typeof guidePages)[number]
  | (typeof unrunPages)[number]
  | typeof localPage
  | typeof giteaPage
  | typeof releasePage

/** A block between fences. */
export type GuideBlock = {
  readonly page: GuidePage
  readonly line: number
  readonly language: string
  readonly text: string
}

/** `run`: commands, and what the page shows as their output. `apply`: a manifest or a part of one, or a workflow. */
export type GuideStep =
  | { readonly does: 'run'; readonly block: GuideBlock; readonly output: GuideBlock | undefined }
  | { readonly does: 'apply'; readonly block: GuideBlock }

const folder = path.resolve(import.meta.dirname, '../../docs/guide')

export function guideText(page: string): string {
  return readFileSync(path.join(folder, `${page}.md`), 'utf8')
}

/** Returns every fenced block. Throws at a fence that is not closed. */
export function guideBlocks(page: GuidePage): readonly GuideBlock[] {
  const blocks: GuideBlock[] = []
  let open: { readonly indent: string; readonly language: string; readonly line: number; lines: string[] } | undefined
  for (const [index, line] of guideText(page).split('\n').entries()) {
    const [, indent = '', language = ''] = /^(\s*)(?:`{3,}|~{3,})(.*)$/.exec(line) ?? []
    const isFence = /^\s*(?:`{3,}|~{3,})/.test(line)
    if (!open && isFence) open = { indent, language: language.trim(), line: index + 1, lines: [] }
    else if (open && isFence) {
      blocks.push({ page, line: open.line, language: open.language, text: open.lines.join('\n') })
      open = undefined
    } else open?.lines.push(line.startsWith(open.indent) ? line.slice(open.indent.length) : line)
  }
  if (open) throw new Error(`${page}.md line ${open.line}: the block does not end`)
  return blocks
}

/** Returns what a reader of the page does. A block `text` is the output of the commands right before it. */
export function guideSteps(page: GuidePage): readonly GuideStep[] {
  const lines = guideText(page).split('\n')
  const blocks = guideBlocks(page)
  return blocks.flatMap((block, index): readonly GuideStep[] => {
    if (block.language === 'yaml') return [{ does: 'apply', block }]
    if (block.language !== 'sh') return []
    const next = blocks[index + 1]
    const end = block.line + block.text.split('\n').length + 1
    const follows = next?.language === 'text' && lines.slice(end, next.line - 1).every((line) => line.trim() === '')
    return [{ does: 'run', block, output: follows ? next : undefined }]
  })
}

/** Returns the commands of a block: a line that ends with a backslash continues on the next one, and a document belongs to its command. */
export function commandsOf(text: string): readonly string[] {
  return text
    .replace(/\\\n\s*/g, '')
    .replace(/^(.*<<(\w+)\n)[\s\S]*?^\2$/gm, (_all, command: string) => command.trimEnd())
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
}

// Reads comments `# doctor-ignore[POD101]: reason`, on the line of a finding or in the comment above it.
// A comment that silences no finding is reported.
import type { Finding } from '../finding.ts'
import type { DecodedFile } from '../read/decode/document.ts'

export type Suppression = {
  readonly file: string
  readonly line: number
  /** A slug or a code, as written in the file. */
  readonly rule: string
  /** Empty if the comment gives no reason. */
  readonly reason: string
}

type Suppressed = {
  readonly findings: readonly Finding[]
  readonly suppressed: readonly { readonly finding: Finding; readonly reason: string }[]
  readonly unusedSuppressions: readonly Suppression[]
}

export function suppress(findings: readonly Finding[], files: readonly DecodedFile[]): Suppressed {
  const comments = new Map(files.map((file) => [file.file.path, readComments(file)]))
  const used = new Set<Suppression>()
  const kept: Finding[] = []
  const suppressed: { finding: Finding; reason: string }[] = []
  for (const finding of findings) {
    const comment = finding.place && comments.get(finding.place.file)?.find(finding.place.line, finding)
    if (comment) {
      used.add(comment)
      suppressed.push({ finding, reason: comment.reason })
    } else kept.push(finding)
  }
  const all = [...comments.values()].flatMap((comment) => comment.all)
  return { findings: kept, suppressed, unusedSuppressions: all.filter((comment) => !used.has(comment)) }
}

type Comments = {
  readonly all: readonly Suppression[]
  readonly find: (line: number, finding: Finding) => Suppression | undefined
}

function readComments({ file }: DecodedFile): Comments {
  if (!file.text.includes('doctor-ignore')) return { all: [], find: () => undefined }
  const lines = file.text.split('\n')
  const all = lines.flatMap((text, index) => {
    const match = /#\s*doctor-ignore\b[ \t]*(?:\[([^\]]*)\])?:?([^\r]*)/.exec(text)
    if (!match) return []
    const reason = match[2]?.trim() ?? ''
    // Without a list, the comment names no rule. It silences nothing and is reported.
    const rules = (match[1] ?? '').split(',')
    return rules.map((rule) => ({ file: file.path, line: index + 1, rule: rule.trim(), reason }))
  })
  const find = (line: number, finding: Finding): Suppression | undefined => {
    let first = line
    while (first > 1 && /^\s*#/.test(lines[first - 2] ?? '')) first--
    const names = [finding.rule.toLowerCase(), finding.code.toLowerCase()]
    return all.find(
      (comment) => comment.line >= first && comment.line <= line && names.includes(comment.rule.toLowerCase()),
    )
  }
  return { all, find }
}

// A report like that of the command line, for the tests of the reporters.
import { decodeFiles, examine } from '../engine/examine.ts'
import { linesOf } from '../fix/line-diff.ts'
import { previewFixes } from '../fix/preview-fixes.ts'
import { catalogue } from '../rules/catalogue.ts'
import { undeclaredVersion } from '../version-fact.ts'
import type { Report } from './report.ts'

export const job = `apiVersion: batch/v1
kind: Job
metadata: {name: runner, namespace: ci}
spec:
  ttlSecondsAfterFinished: 600
  backoffLimit: 0
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: runner
          image: bitbucket-pipelines-runner:6
        - name: docker
          image: docker:27-dind`

export function reportOf(text: string, file = 'k8s/a job.yaml', rules = catalogue): Extract<Report, { live: false }> {
  const files = decodeFiles([{ path: file, text }])
  const examination = examine(files, rules)
  return {
    ...examination,
    rules,
    version: undeclaredVersion,
    tool: '0.0.0',
    live: false,
    lines: new Map([[file, linesOf(text)]]),
    previews: previewFixes(examination.findings, files),
    pages: new Map(),
    known: [],
    below: [],
    unwanted: 0,
  }
}

/** The paths of a run in the repository's root, or in a folder of it. */
export function runIn(folder = '') {
  return { root: '/repository', folder: `/repository/${folder}` }
}

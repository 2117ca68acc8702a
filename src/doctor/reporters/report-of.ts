// A report as the command line makes it, for the tests of the reporters.
import { decodeFiles, examine } from '../engine.ts'
import { linesOf } from '../fixes/line-diff.ts'
import { previewFixes } from '../fixes/preview-fixes.ts'
import { undeclaredVersion } from '../gather-facts.ts'
import { catalogue } from '../rules/catalogue.ts'
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

export function reportOf(text: string, file = 'k8s/a job.yaml'): Report {
  const files = decodeFiles([{ path: file, text }])
  const examination = examine(files, catalogue)
  return {
    ...examination,
    rules: catalogue,
    version: undeclaredVersion,
    tool: '0.0.0',
    live: false,
    lines: new Map([[file, linesOf(text)]]),
    previews: previewFixes(examination.findings, files),
    pages: new Map(),
    known: [],
    below: [],
  }
}

/** The repository's root, or a folder in it. */
export function standing(folder = '') {
  return { root: '/repository', folder: `/repository/${folder}` }
}

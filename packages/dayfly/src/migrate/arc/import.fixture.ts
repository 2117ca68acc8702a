// Imports texts as files, with Dayfly's own pod, and checks each RunnerSet with the schema.
import { defaultSpec } from '@dayfly/runner-set/core/default-spec'
import { type ImportRequest, importArc } from './import.ts'

/** @param files the text of each file by its path */
export function requestOf(files: Readonly<Record<string, string>>, over: Partial<ImportRequest> = {}): ImportRequest {
  return {
    files: Object.entries(files).map(([path, text]) => ({ path, text })),
    valuesFiles: [],
    helmReleases: [],
    name: undefined,
    namespace: undefined,
    defaultSpec: defaultSpec({ forge: 'github', docker: 'sidecar' }, ''),
    credentialFile: '/run/dayfly/credential',
    ...over,
  }
}

/** Throws if the schema refuses a set. */
export function importFiles(files: Readonly<Record<string, string>>, over: Partial<ImportRequest> = {}) {
  const result = importArc(requestOf(files, over))
  const [problem] = result.problems
  if (problem) throw new Error(`${problem.file}: ${problem.sentence}`)
  return result
}

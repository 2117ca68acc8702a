// Finds the root modules of Terraform that deploy to a cluster, and the modules that they call.
import type { DecodedFile } from '../decode/document.ts'
import { folderOf, joined, nameOf } from './tree.ts'

export type TerraformFolder = {
  readonly files: readonly string[]
  /** The folders of the local modules that it calls. */
  readonly calls: readonly string[]
  /** The name of its cluster. Undefined: the folder is a module, or deploys nothing to a cluster. */
  readonly cluster: string | undefined
}

export function isTerraform(path: string): boolean {
  return /\.(?:tf|tofu)$/.test(path)
}

export function terraformFolders(files: readonly DecodedFile[]): ReadonlyMap<string, TerraformFolder> {
  const found = new Map<string, { files: string[]; calls: string[]; deploys: boolean }>()
  for (const { file, objects } of files) {
    if (!isTerraform(file.path)) continue
    const path = folderOf(file.path)
    const folder = found.get(path) ?? { files: [], calls: [], deploys: false }
    found.set(path, folder)
    folder.files.push(file.path)
    folder.deploys ||= objects.length > 0 || /\bprovider\s+"(?:kubernetes|helm|kubectl)"/.test(file.text)
    for (const [, source = ''] of file.text.matchAll(/\bsource\s*=\s*"(\.[^"\n]{0,500})"/g)) {
      const called = joined(path, source)
      if (called !== undefined) folder.calls.push(called)
    }
  }
  const called = new Set([...found.values()].flatMap(({ calls }) => calls))
  return new Map(
    [...found].map(([path, { files: own, calls, deploys }]) => {
      const isRoot = deploys && !called.has(path) && !/(?:^|\/)modules?\//.test(path)
      return [path, { files: own, calls, cluster: isRoot ? rootName(path) : undefined }]
    }),
  )
}

/** The name of a folder names its cluster, unless it is a general word: `terraform/prod` and `clusters/prod` are one. */
function rootName(path: string): string {
  return /^(?:terraform|tf|infra(?:structure)?|iac|deploy(?:ment)?|k8s|kubernetes|)$/.test(nameOf(path))
    ? path
    : nameOf(path)
}

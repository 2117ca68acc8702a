// Finds the namespace that a resource of Terraform takes from another resource.
import type { Input } from './input.ts'

/** Returns the literal name of the `kubernetes_namespace` that an expression refers to. All files of a folder are one configuration. */
export function referredNamespace({ files }: Input, path: string, expression: string | undefined): string | undefined {
  const name = /^kubernetes_namespace(?:_v1)?\.([\w-]+)\./.exec(expression ?? '')?.[1]
  if (name === undefined) return undefined
  const header = new RegExp(`resource\\s+"kubernetes_namespace(?:_v1)?"\\s+"${name}"\\s*\\{`)
  for (const file of files.values()) {
    const found = folderOf(file.path) === folderOf(path) ? header.exec(file.text) : null
    const first = found && /\bname\s*=\s*(?:"([^"$]*)"[ \t]*$)?/m.exec(file.text.slice(found.index))
    if (first) return first[1]
  }
  return undefined
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/') + 1)
}

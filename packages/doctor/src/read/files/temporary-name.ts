// The name of the temporary file beside a file that is being replaced.

/** Returns a name that no reader of manifests takes for one, in case a crash leaves the file behind. `unique` separates two writers. */
export function temporaryName(unique: string): string {
  return `.dayfly-${unique}.tmp`
}

export function isTemporary(name: string): boolean {
  return /^\.dayfly-\w+\.tmp$/.test(name)
}

/** Returns the key of an object within its kind: `namespace/name`, or the name alone. */
export function keyOf(namespace: string | undefined, name: string): string {
  return namespace === undefined || namespace === '' ? name : `${namespace}/${name}`
}

/** Where an object stands inside its kind: `namespace/name`, or the name alone. */
export function keyOf(namespace: string | undefined, name: string): string {
  return namespace === undefined || namespace === '' ? name : `${namespace}/${name}`
}

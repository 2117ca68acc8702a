// Writes bills of materials in CycloneDX 1.6 (https://cyclonedx.org/docs/1.6/json/).
// They have no time and no serial number, so the same components give the same bytes.

export type Component = {
  readonly type: 'application' | 'container' | 'file' | 'library'
  readonly name: string
  /** Undefined for a file that no package owns. */
  readonly version?: string
  /** The package URL, by which scanners find known vulnerabilities. */
  readonly purl?: string
  /** An expression of SPDX. */
  readonly license?: string
  readonly sha256?: string
  /** The components inside this one. */
  readonly components?: readonly Component[]
}

/** Returns the bill of one product. */
export function writeBill(product: Component, components: readonly Component[]): string {
  const bill = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: written(product) },
    components: sorted(components).map(written),
  }
  return `${JSON.stringify(bill, undefined, 2)}\n`
}

/** Returns the package URL of an npm package. */
export function npmUrl(name: string, version: string): string {
  return `pkg:npm/${name.replace(/^@/, '%40')}@${version}`
}

function sorted(components: readonly Component[]): readonly Component[] {
  const key = ({ purl, name }: Component) => purl ?? name
  return [...components].sort((one, other) => (key(one) < key(other) ? -1 : 1))
}

function written({ type, name, version, purl, license, sha256, components }: Component): object {
  return {
    type,
    ...(purl === undefined ? {} : { 'bom-ref': purl }),
    name,
    ...(version === undefined ? {} : { version }),
    ...(sha256 === undefined ? {} : { hashes: [{ alg: 'SHA-256', content: sha256 }] }),
    ...(license === undefined ? {} : { licenses: [{ expression: license }] }),
    ...(purl === undefined ? {} : { purl }),
    ...(components === undefined ? {} : { components: sorted(components).map(written) }),
  }
}

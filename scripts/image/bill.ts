// The bill of materials of the controller's image: the packages in its bundle, and the origin of everything below.
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { type Component, writeBill } from '../bill.ts'
import type { Base } from './base.ts'

/** Returns the bill of the image that `controllerImage` makes. @param dist the built folder of packages/controller, with the bill of its bundle */
export async function controllerBill(dist: string, version: string, base: Base): Promise<string> {
  const bundle = JSON.parse(await readFile(path.join(dist, 'bom.cdx.json'), 'utf8')) as {
    readonly components: readonly (Component & { readonly licenses: readonly { readonly expression: string }[] })[]
  }
  const bundled = bundle.components.map(({ licenses: [license], ...each }): Component => {
    return license === undefined ? each : { ...each, license: license.expression }
  })
  const purl = `pkg:oci/dayfly@${version}?arch=${base.architecture}`
  return writeBill({ type: 'container', name: 'dayfly', version, purl }, [...bundled, ...base.components])
}

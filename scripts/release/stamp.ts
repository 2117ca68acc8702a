// Writes the published image into the texts of a chart, so that the chart installs without further values.

/** Something in a registry, by its name without a tag, and its digest. */
export type Published = { readonly name: string; readonly digest: string }

/** Returns `values.yaml` with the image of the release. Throws if the text does not have the default image once. */
export function stampValues(values: string, { name, digest }: Published): string {
  const repository = /(^image:\n)(?: +#.*\n)*( +)repository: localhost\/dayfly$/m
  const named = replaceOnce(values, repository, `$1$2# The image of this release.\n$2repository: ${name}`)
  return replaceOnce(named, /^( +)digest: ""$/m, `$1digest: ${digest}`)
}

/** Returns `Chart.yaml` with the image of the release in the data of Artifact Hub. */
export function stampChart(chart: string, { name, digest }: Published): string {
  return replaceOnce(
    chart,
    /(?:^ *#.*\n)*(^ {2}artifacthub\.io\/images: \|\n(?: {4}.*\n)* +image: )localhost\/dayfly:(\S+)$/m,
    `$1${name}:$2@${digest}`,
  )
}

function replaceOnce(text: string, pattern: RegExp, by: string): string {
  const count = [...text.matchAll(new RegExp(pattern, 'gm'))].length
  if (count !== 1) throw new Error(`${pattern} matches ${count} places of the chart instead of one`)
  return text.replace(pattern, by)
}

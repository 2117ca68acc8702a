// Compares what a command prints with what a page shows: names and times differ from run to run, and columns follow their width.

/** Replaces names of runners and controllers, times and widths. */
export function comparable(output: string): string {
  return output
    .replaceAll(/\b[a-z]+-[0-9a-f]{5}-[bcdfghjklmnpqrstvwxz2456789]{10}\b/g, 'RUNNER')
    .replaceAll(/\bdayfly-ci-[0-9a-z]{5,10}-[0-9a-z]{5}(?:_[0-9a-z]+)?\b/g, 'CONTROLLER')
    .replaceAll(/\b\d+(?:\.\d+)? (?:ms|s|min|h|d)\b/g, 'TIME')
    .replaceAll(/TIME(?: TIME)+/g, 'TIME')
    .replaceAll(/\btemplate [0-9a-f]{10}\b/g, 'template HASH')
    .replaceAll(/ +/g, ' ')
    .trim()
}

// Recognizes samples, tutorials and tests by the names of their folders and files. Nobody deploys them to a cluster that lasts.

const folders =
  /^(?:examples?|samples?|demos?|tutorials?|docs?|documentation|quick-?starts?|getting-started|workshops?|labs?|exercises?|lessons?|courses?|training|playgrounds?|testdata|fixtures?|tests?|e2e)$/i
/** Most paths have none of the words: this test is cheaper than the split. */
const anywhere = new RegExp(folders.source.replace(/^\^/, '(?:^|/)').replace(/\$$/, '/'), 'i')
const files = /(?:^|[-_.])(?:examples?|samples?|demo|tutorial)(?:[-_.]|$)/i

/** Returns the folder of the sample around a file, such as `examples/karpenter`. Undefined: its folders name none. */
export function sampleFolder(path: string): string | undefined {
  if (!anywhere.test(path)) return undefined
  const steps = path.split('/')
  // Above an absolute path, or one that leaves the working folder, the names say nothing about the repository.
  if (steps[0] === '' || steps[0] === '..') return undefined
  const at = steps.findIndex((step, index) => index < steps.length - 1 && folders.test(step))
  return at < 0 ? undefined : steps.slice(0, Math.min(at + 2, steps.length - 1)).join('/')
}

export function isSample(path: string): boolean {
  return sampleFolder(path) !== undefined || files.test(path.slice(path.lastIndexOf('/') + 1))
}

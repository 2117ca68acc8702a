// The daemons of container engines, by the program or the image that runs them. The core refuses and the doctor reports by this one list.

export type Engine = 'docker' | 'buildkit' | 'podman'

/** Returns the daemon that a program runs; undefined for other programs, and for a daemon that only prints something.
 *  @param words the program and its arguments */
export function engineOfProgram([path = '', ...args]: readonly string[]): Engine | undefined {
  if (args.some((word) => /^(--version|-v|--help|-h|--validate)$/.test(word))) return undefined
  const program = afterSlash(path)
  if (/^dockerd(-rootless)?(\.sh)?$/.test(program)) return 'docker'
  // The entry point runs any other program that it is given.
  if (/^dockerd-entrypoint(\.sh)?$/.test(program)) {
    return args[0] === undefined || /^(-|dockerd)/.test(args[0]) ? 'docker' : undefined
  }
  if (program === 'buildkitd') return 'buildkit'
  const serves = program === 'podman' && args.includes('system') && args.includes('service')
  return serves && /(^| )(--time|-t)[= ]?0( |$)/.test(args.join(' ')) ? 'podman' : undefined
}

/** Returns the daemon that an engine's own image runs by itself. */
export function engineOfImage(image: string | undefined): Engine | undefined {
  const { name, tag } = imageParts(image)
  if (/^buildkitd?$/.test(name)) return 'buildkit'
  const isDind = (name === 'docker' && namesDind(tag)) || /^(docker-)?dind(-rootless)?$/.test(name)
  return isDind ? 'docker' : undefined
}

/** Returns whether a name or a tag says Docker in Docker: `dind`, `27.3-dind-rootless`. It may be a tool for that. */
export function namesDind(text: string): boolean {
  return /(^|-)(dind|docker-in-docker)(-|$)/.test(text)
}

/** Returns name and tag of an image, without registry and digest. */
export function imageParts(image: string | undefined): { readonly name: string; readonly tag: string } {
  const last = afterSlash((image ?? '').replace(/@.*$/, ''))
  const colon = last.indexOf(':')
  return colon < 0 ? { name: last, tag: '' } : { name: last.slice(0, colon), tag: last.slice(colon + 1) }
}

function afterSlash(text: string): string {
  return text.slice(text.lastIndexOf('/') + 1)
}

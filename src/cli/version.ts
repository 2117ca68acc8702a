// The version of this build, written in by the bundler.
declare const DAYFLY_VERSION: string

/** As in package.json; `0.0.0-source` where the sources run unbundled. */
export const version: string = typeof DAYFLY_VERSION === 'string' ? DAYFLY_VERSION : '0.0.0-source'

// The version of this build. The bundler inserts it.
declare const DAYFLY_VERSION: string

/** The version in package.json, or `0.0.0-source` if the sources run without a bundle. */
export const version: string = typeof DAYFLY_VERSION === 'string' ? DAYFLY_VERSION : '0.0.0-source'

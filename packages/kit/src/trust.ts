// The certificate authorities that a client trusts: those of Node.js, and private ones in addition.
import { X509Certificate } from 'node:crypto'
import { createSecureContext, rootCertificates, type SecureContext } from 'node:tls'
import { SettingError } from './setting-error.ts'

/** Builds one context for every connection: parsing the roots for each would be slow. Throws a `SettingError` for a text without usable certificates. */
export function trustStore(...texts: readonly string[]): SecureContext {
  return createSecureContext({ ca: [...rootCertificates, ...texts.flatMap(certificatesIn)] })
}

/** Returns each certificate of a text in PEM. Ignores everything between the certificates. */
export function certificatesIn(text: string): readonly string[] {
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g) ?? []
  if (blocks.length === 0) throw new SettingError('holds no certificate in PEM (-----BEGIN CERTIFICATE-----)')
  for (const [index, block] of blocks.entries()) {
    try {
      new X509Certificate(block)
    } catch (cause) {
      throw new SettingError(`holds a certificate that cannot be read (number ${index + 1} of ${blocks.length})`, cause)
    }
  }
  return blocks
}

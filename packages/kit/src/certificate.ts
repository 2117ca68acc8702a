// Creates the certificate of one API server. Only that server's kubeconfig trusts it. Kubernetes clients send no token
// over plain HTTP, and Node.js cannot create certificates, so this file encodes it (X.509 version 3 in DER, RFC 5280).
import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import type { Instant } from './clock.ts'

export type Certificate = {
  /** PEM. Clients must trust it. */
  readonly cert: string
  /** PEM. */
  readonly key: string
}

const yearMs = 365 * 24 * 3_600_000

/** Creates a self-signed certificate for 127.0.0.1 and localhost: P-256, valid for one year. */
export function selfSignedCertificate(now: Instant): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const name = sequence(der(0x31, sequence(oid('550403'), der(0x0c, Buffer.from('dayfly embedded cluster')))))
  const identity = publicKey.export({ type: 'spki', format: 'der' })
  const serial = createHash('sha256').update(identity).digest().subarray(0, 15)
  const body = sequence(
    der(0xa0, integer(Buffer.from([2]))),
    integer(Buffer.concat([Buffer.from([0x01]), serial])),
    ecdsaWithSha256,
    name,
    sequence(time(now - 3_600_000), time(now + yearMs)),
    name,
    identity,
    der(0xa3, sequence(...extensions())),
  )
  const certificate = sequence(body, ecdsaWithSha256, bitString(sign('sha256', body, privateKey)))
  return { cert: pem(certificate), key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() }
}

function extensions(): readonly Buffer[] {
  const localhost = der(0x82, Buffer.from('localhost'))
  const loopback = der(0x87, Buffer.from([127, 0, 0, 1]))
  const yes = der(0x01, Buffer.from([0xff]))
  const digitalSignatureAndCertSign = Buffer.from('03020284', 'hex')
  return [
    sequence(oid('551d13'), yes, octets(sequence(yes))),
    sequence(oid('551d0f'), yes, octets(digitalSignatureAndCertSign)),
    sequence(oid('551d25'), octets(sequence(oid('2b06010505070301')))),
    sequence(oid('551d11'), octets(sequence(localhost, loopback))),
  ]
}

const ecdsaWithSha256 = sequence(oid('2a8648ce3d040302'))

function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts)
  const { length } = content
  if (length < 0x80) return Buffer.concat([Buffer.from([tag, length]), content])
  const size = length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return der(0x30, ...parts)
}

function oid(hex: string): Buffer {
  return der(0x06, Buffer.from(hex, 'hex'))
}

/** @param value a positive number: its first bit is 0. */
function integer(value: Buffer): Buffer {
  return der(0x02, value)
}

function octets(content: Buffer): Buffer {
  return der(0x04, content)
}

function bitString(content: Buffer): Buffer {
  return der(0x03, Buffer.from([0]), content)
}

/** Encodes a UTCTime. It has two digits for the year, so it is valid until 2049. */
function time(at: Instant): Buffer {
  const [date = '', clock = ''] = new Date(at).toISOString().slice(2, 19).split('T')
  return der(0x17, Buffer.from(`${date.replaceAll('-', '')}${clock.replaceAll(':', '')}Z`))
}

function pem(content: Buffer): string {
  const lines = content.toString('base64').match(/.{1,64}/g) ?? []
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n')
}

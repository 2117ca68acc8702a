// The fields of a RunnerSet's `spec` that say how to reach a server: its proxy and its certificates.
import * as z from 'zod'
import { dataKey, objectName } from './field-schemas.ts'

/** A reference is owned as a whole: if a manager changes it by server-side apply, no part of the old one stays. */
export const whole = { 'x-kubernetes-map-type': 'atomic' }

export const proxy = z
  .strictObject({
    url: z
      .string()
      .min(1)
      .max(512)
      .regex(
        /^https?:\/\/[^@/]+\/?$/,
        'the URL must be http:// or https:// with a host, and without user, password and path',
      )
      .describe('The URL of the forward proxy, without user name and password: http://proxy.example.com:3128.'),
    credentials: z
      .strictObject({
        secret: objectName.describe('The Secret in this namespace with the keys username and password.'),
      })
      .optional()
      .describe('The credentials for the proxy. Without them, Dayfly does not authenticate to the proxy.'),
    noProxy: z
      .array(z.string().min(1).max(253))
      .max(64)
      .meta({ 'x-kubernetes-list-type': 'set' })
      .optional()
      .describe('Host names, domain suffixes (.example.com), IP addresses and CIDR blocks that need no proxy.'),
  })
  .describe('The forward proxy for all requests to the forge. The runners use it, too, unless `runner` says otherwise.')

export const ca = z
  .strictObject({
    configMap: objectName.optional().describe('The ConfigMap in this namespace that contains the certificates.'),
    secret: objectName.optional().describe('The Secret in this namespace that contains the certificates.'),
    key: dataKey.default('ca.crt').describe('The key of the PEM text in the ConfigMap or Secret.'),
  })
  .meta(whole)
  .describe(
    'Certificates of authorities that Dayfly trusts for the forge, in addition to the public ones. The runners trust them, too, unless `runner` says otherwise.',
  )

// Decodes objects that Kubernetes' own Go types have encoded (k8s.io/api v0.36.3), and malformed bytes.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeProtobuf } from './decode.ts'
import { WireError } from './wire-reader.ts'

const recorded = {
  pod: 'azhzAAoJCgJ2MRIDUG9kEsQCCk8KAWESABoCY2kiACoAMgA4AEIICKXr3MoGEABQAFoGCgFiEgFjWgkKBWVtcHR5EgBqEwoDUG9kGgFvIgF1KgJ2MTABOAByA3gveXIDeC96EtsBCg0KAXYSCDIGCgFzGIACCgkKAWUSBBICCgASjwEKBG1haW4SAWkaAnNoGgAqADoFCgFBEgA6EQoBQhIAGgoiCAoDCgFzEgFrQhIKEAoGbWVtb3J5EgYKBDIwTWlaGAoMGgoKBggAEFAaABIAEAAYACAAKAAwAGoAcgB6AhAAgAEAiAEAkAEAogEAsgEfChMSEQoAEgkIARAAGgN3ZWIaACIAEAAYACABKAAwABoFTmV2ZXIg////////////ATIAQgBKAFIAWABgAGgAggEAigEAmgEAqAEAwgEAGhMKABoAIgAqADIASgBaAHIAiAEAGgAiAA==',
  secret: 'azhzAAoMCgJ2MRIGU2VjcmV0EjYKGQoBcxIAGgAiACoAMgA4AEIICKXr3MoGEAASCAoBYRIDAP8KEgUKAWISABoGT3BhcXVlKAEaACIA',
  lease:
    'azhzAAofChZjb29yZGluYXRpb24uazhzLmlvL3YxEgVMZWFzZRIxChkKAWwSABoAIgAqADIAOABCCAil69zKBhAAEhQKAm1lEA8iDAil69zKBhCI6tzDAhoAIgA=',
  endpoints: 'azhzAAoPCgJ2MRIJRW5kcG9pbnRzEjEKEQoBZRIAGgAiACoAMgA4AEIAEhwKDAoIMTAuMC4wLjEaABoMCgN3ZWIQUBoDVENQGgAiAA==',
  deleteOptions: 'azhzAAoTCgJ2MRINRGVsZXRlT3B0aW9ucxILCAASAgoAKgNBbGwaACIA',
  definition:
    'azhzAAozChdhcGlleHRlbnNpb25zLms4cy5pby92MRIYQ3VzdG9tUmVzb3VyY2VEZWZpbml0aW9uEvcDChgKCGFzLnguZGV2EgAaACIAKgAyADgAQgASzAMKBXguZGV2GgsKAmFzEgAiAUEqACIKTmFtZXNwYWNlZDqnAwoCdjEQARgBIpYDCpMDCgASACIAKgZvYmplY3QyADoAUABgAHoAkAEA6gEzCgZjbG9zZWQSKQoAEgAiACoGb2JqZWN0MgA6AFAAYAB6AJABAPIBAggAqAIAuAIAwAIA6gE4CgRmcmVlEjAKABIAIgAqADIAOgBQAGAAegCQAQCoAgCwAgG4AgDAAgDiAgwKBHRydWUSABoAKgDqAVcKAWwSUgoAEgAiACoFYXJyYXkyADoAUABgAHoAkAEAwgEmCiQKABIAIgAqBnN0cmluZzIAOgBQAGAAegCQAQCoAgC4AgDAAgCoAgC4AgDAAgDSAgNzZXTqAVYKA21hcBJPCgASACIAKgZvYmplY3QyADoAUABgAHoAkAEA8gEoCAESJAoAEgAiACoGc3RyaW5nMgA6AFAAYAB6AJABAKgCALgCAMACAKgCALgCAMACAOoBSAoBbhJDCgASACIAKgZudW1iZXIyADoAQgMKATFQAFkAAAAAAADgv2AAegCQAQCiAQMKATGiAQUKAyJiIqIBAKgCALgCAMACAKgCALgCAMACACoCCgA4AFAAGgwSCAoAEgAiACoAIAAaACIA',
}

const decode = (name: keyof typeof recorded) => decodeProtobuf(Buffer.from(recorded[name], 'base64'))

test('a pod keeps inlined messages, pointers to zero, maps, quantities, and ports by name and number', () => {
  expect(decode('pod')).toEqual({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: 'a',
      namespace: 'ci',
      creationTimestamp: '2026-01-02T03:04:05Z',
      deletionGracePeriodSeconds: 0,
      labels: { b: 'c', empty: '' },
      ownerReferences: [
        { apiVersion: 'v1', kind: 'Pod', name: 'o', uid: 'u', controller: true, blockOwnerDeletion: false },
      ],
      finalizers: ['x/y', 'x/z'],
    },
    spec: {
      volumes: [
        { name: 'v', secret: { secretName: 's', defaultMode: 256 } },
        { name: 'e', emptyDir: {} },
      ],
      containers: [
        {
          name: 'main',
          image: 'i',
          command: ['sh', ''],
          env: [{ name: 'A' }, { name: 'B', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } }],
          resources: { limits: { memory: '20Mi' } },
          startupProbe: { httpGet: { port: 'web' }, periodSeconds: 1 },
          readinessProbe: { tcpSocket: { port: 80 } },
          securityContext: { privileged: false },
        },
      ],
      restartPolicy: 'Never',
      terminationGracePeriodSeconds: -1,
      automountServiceAccountToken: false,
    },
  })
})

test('a Secret keeps its bytes as base64, including empty ones', () => {
  expect(decode('secret')).toEqual({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 's', creationTimestamp: '2026-01-02T03:04:05Z' },
    data: { a: 'AP8K', b: '' },
    immutable: true,
    type: 'Opaque',
  })
})

test('a lease keeps microseconds', () => {
  expect(decode('lease')?.['spec']).toEqual({
    holderIdentity: 'me',
    leaseDurationSeconds: 15,
    renewTime: '2026-01-02T03:04:05.678901Z',
  })
})

test('a port of Endpoints has other numbers than one of an EndpointSlice', () => {
  const ports = [{ name: 'web', port: 80, protocol: 'TCP' }]
  expect(decode('endpoints')?.['subsets']).toEqual([{ addresses: [{ ip: '10.0.0.1' }], ports }])
})

test('delete options keep zero and empty values', () => {
  expect(decode('deleteOptions')).toMatchObject({
    gracePeriodSeconds: 0,
    preconditions: { uid: '' },
    dryRun: ['All'],
  })
})

test('a definition keeps its schema: numbers, free values, and fields with two forms', () => {
  expect(decode('definition')).toEqual({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'as.x.dev' },
    spec: {
      group: 'x.dev',
      scope: 'Namespaced',
      names: { plural: 'as', kind: 'A' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: {
            openAPIV3Schema: {
              type: 'object',
              properties: {
                n: { type: 'number', minimum: -0.5, default: 1, enum: [1, 'b', null] },
                l: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
                closed: { type: 'object', additionalProperties: false },
                map: { type: 'object', additionalProperties: { type: 'string' } },
                free: { 'x-kubernetes-preserve-unknown-fields': true, 'x-kubernetes-validations': [{ rule: 'true' }] },
              },
            },
          },
        },
      ],
    },
  })
})

test('a kind that is not in the table gives undefined', () => {
  const bytes = Buffer.from(recorded.secret, 'base64')
  const other = Buffer.from(bytes.toString('latin1').replace('Secret', 'Sacred'), 'latin1')
  expect(decodeProtobuf(other)).toBeUndefined()
})

test('malformed bytes give a WireError or an object, never another error', () => {
  const whole = Buffer.from(recorded.pod, 'base64')
  const attempt = (bytes: Uint8Array): void => {
    try {
      decodeProtobuf(bytes)
    } catch (error) {
      if (!(error instanceof WireError) && !(error instanceof SyntaxError)) throw error
    }
  }
  for (let length = 0; length < whole.length; length++) attempt(whole.subarray(0, length))
  fc.assert(
    fc.property(fc.nat(whole.length - 1), fc.nat(255), (at, byte) => {
      const broken = Buffer.from(whole)
      broken[at] = byte
      attempt(broken)
    }),
    { numRuns: 2000 },
  )
  expect(() => decodeProtobuf(Buffer.from('{}'))).toThrow('magic number')
  expect(() => decodeProtobuf(nestedDefinition(2_000))).toThrow('nests too deeply')
})

/** Returns a definition whose schema has schemas below `not`. */
function nestedDefinition(depth: number): Buffer {
  const message = (number: number, content: Buffer): Buffer => {
    const head = [(number << 3) | 2, content.length].flatMap((value) => [(value & 0x7f) | 0x80, value >>> 7])
    return Buffer.concat([Buffer.from(head), content])
  }
  let schema: Buffer = Buffer.from([])
  for (let level = 0; level < depth; level++) schema = message(28, schema)
  // The fields are spec, versions, schema and openAPIV3Schema.
  const object = [1, 4, 7, 2].reduce<Buffer>((content, number) => message(number, content), schema)
  const type = message(1, message(2, Buffer.from('CustomResourceDefinition')))
  return Buffer.concat([Buffer.from('k8s\0'), type, message(2, object)])
}

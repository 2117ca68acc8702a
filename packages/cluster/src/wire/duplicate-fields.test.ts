// Fields that a body has twice: the messages of kube-apiserver for JSON and for YAML.
import { parseBody, type Request } from '@dayfly/kit/http'
import { expect, test } from 'vitest'
import { openPodStage } from '../pod-stage.fixture.ts'

async function send(text: string, change: Partial<Request> = {}) {
  const headers = { 'content-type': 'application/json', ...change.headers }
  const raw = Buffer.from(text)
  const parsed = parseBody(raw, headers['content-type'])
  const body = parsed.kind === 'json' ? { ...parsed, raw } : parsed
  const path = '/api/v1/namespaces/default/configmaps'
  const query = { fieldValidation: 'Strict', ...change.query }
  const request = { method: 'POST', path, expect: 'whole', ...change, headers, query, body } as const
  const answer = await openPodStage().cluster.transport('tester')(request)
  return {
    status: answer.status,
    message: JSON.stringify(answer.body.kind === 'json' ? answer.body.value : ''),
    warning: answer.headers['warning'] ?? '',
  }
}

test('a strict write names each field of a JSON body that appears twice, after the unknown ones', async () => {
  const pod = `{"metadata":{"name":"p","labels":{"a":"1","b":"{\\"a\\":","a":"2"}},"spec":{"no":{"x":1,"x":2},"no":1,
    "containers":[{"name":"c","image":"i"},{"name":"d","image":"i","image":"j","image":"k"}]}}`
  const answer = await send(pod, { path: '/api/v1/namespaces/default/pods' })
  expect(answer.status).toBe(400)
  expect(answer.message).toContain(
    String.raw`strict decoding error: unknown field \"spec.no\", duplicate field \"metadata.labels.a\", duplicate field \"spec.containers[1].image\"`,
  )
})

test('a write that only warns names the field, and one that ignores fields does not', async () => {
  const body = '{"metadata":{"name":"one"},"data":{"a":"1"},"data":{"a":"2","\\u0061":"3"}}'
  expect(await send(body, { query: { fieldValidation: 'Warn' } })).toMatchObject({
    status: 201,
    warning: String.raw`299 - "duplicate field \"data\"", 299 - "duplicate field \"data.a\""`,
  })
  expect(await send(body, { query: { fieldValidation: 'Ignore' } })).toMatchObject({ status: 201, warning: '' })
})

test('a YAML body, and an applied configuration, name the line of the second field', async () => {
  const yaml = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: one\ndata:\n  a: "1"\n  a: "2"\n'
  const line = String.raw`yaml: unmarshal errors:\n  line 7: key \"a\" already set in map`
  expect(await send(yaml, { headers: { 'content-type': 'application/yaml' } })).toMatchObject({
    status: 400,
    message: expect.stringContaining(`strict decoding error: ${line}`),
  })
  const apply = { method: 'PATCH', path: '/api/v1/namespaces/default/configmaps/one' } as const
  const query = { fieldManager: 'm', fieldValidation: 'Strict' }
  const headers = { 'content-type': 'application/apply-patch+yaml' }
  expect(await send(yaml, { ...apply, query, headers })).toMatchObject({
    status: 400,
    message: expect.stringContaining(`error strict decoding YAML: error converting YAML to JSON: ${line}`),
  })
})

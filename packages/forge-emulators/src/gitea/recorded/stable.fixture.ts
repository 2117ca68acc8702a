// Makes the form of an answer that does not depend on the server, its address or the time.
import type { Answer, Body } from '@dayfly/kit/http'
import { isJsonObject } from '@dayfly/kit/read-json'
import { parse } from 'yaml'
import type { StepAnswer } from './step.fixture.ts'

/** The headers that a client reads. */
const headers = ['content-type', 'link', 'location', 'x-total-count', 'allow'] as const

/** The types of content that the server of this repository sends by itself. */
const usualTypes: Readonly<Partial<Record<Body['kind'], string>>> = {
  json: 'application/json',
  text: 'text/plain; charset=utf-8',
}

/** Texts that differ between servers or moments, and objects that no client of ours reads. Only their presence is kept. */
const momentary = new Set([
  'tasksVersion',
  'head_sha',
  'sha',
  'gitea_runtime_token',
  'token',
  'GITEA_TOKEN',
  'GITHUB_TOKEN',
])
const unread = new Set(['event', 'actor', 'trigger_actor', 'repository', 'head_repository'])

/** Returns a function that makes the stable form. A value that an earlier step kept is replaced by its name. */
export function createStableForm(origin: string, kept: ReadonlyMap<string, string>): (answer: Answer) => StepAnswer {
  return ({ status, headers: given, body }) => {
    const secrets = [...kept].filter(([name]) => /token|uuid/.test(name))
    const text = (value: string) => {
      const named = secrets.reduce((part, [name, secret]) => part.replaceAll(secret, `$${name}`), value)
      return (
        named
          .replaceAll(origin, '$ORIGIN')
          // Go's protobuf library writes another space in some builds.
          .replaceAll('\u00a0', ' ')
          .replace(/\b\d{4}-\d\d-\d\dT[\d:.]+Z/g, (time) => (/^(1970|2020)-/.test(time) ? time : '(time)'))
          .replace(/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, '(uuid)')
          .replace(/\b(?:[0-9a-f]{40}|[0-9A-Za-z]{40})\b/g, '(token)')
      )
    }
    const stable = (value: unknown, key = ''): unknown => {
      if (Array.isArray(value)) return value.map((item) => stable(item))
      if (isJsonObject(value)) {
        if (unread.has(key)) return '(set)'
        const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))
        return Object.fromEntries(entries.map(([name, item]) => [name, stable(item, name)]))
      }
      if (typeof value !== 'string') return value
      // Two servers may write the same workflow with other indentation and quotes.
      if (key === 'workflowPayload') return stable(parse(Buffer.from(value, 'base64').toString('utf8')))
      const seen = text(value)
      return momentary.has(key) && !seen.startsWith('$') ? '(set)' : seen
    }
    const shown = headers.flatMap((name) => {
      const value = given[name]
      if (value === undefined || (name === 'content-type' && value === usualTypes[body.kind])) return []
      // The order of methods is that of a Go map.
      return [[name, name === 'allow' ? value.split(', ').sort().join(', ') : text(value)]]
    })
    const content = plain(body)
    return {
      status,
      ...(shown.length > 0 && { headers: Object.fromEntries(shown) }),
      ...(content !== undefined && { body: stable(content) }),
    }
  }
}

function plain(body: Body): unknown {
  if (body.kind === 'json') return body.value
  return body.kind === 'text' ? body.text : undefined
}

import { isDeepStrictEqual } from 'node:util'
import { describe, expect, it } from 'vitest'
import { parseDocument } from 'yaml'
import { seededRandom } from '../../lib/random.ts'
import { parseFast } from './fast-parse.ts'
import { mutateText } from './mutate-text.ts'

const texts = Number(process.env['DAYFLY_FUZZ_FILES'] ?? 5_000)

/** What the full parser makes of it; undefined: it refuses. */
function parseFully(text: string): { value: unknown } | undefined {
  const document = parseDocument(text, { prettyErrors: false, logLevel: 'silent', uniqueKeys: false, merge: true })
  return document.errors.length > 0 ? undefined : { value: document.toJS() }
}

const manifest = `---
# a Job
apiVersion: batch/v1
kind: Job
metadata:
  name: a-b.c # its name
  labels: { app: x, n: "1", e: {}, v: 1.50 }
spec:
  backoffLimit: 0
  suspend: false
  empty:
  template:
    spec:
      restartPolicy: "Never"
      containers:
      - name: 'runner'
        image: docker:27-dind
        args: ["--debug", -c, 5, http://x:80/a b]
        env:
          - {name: A, value: /b}

          -
            name: B
            value: null
          - - nested
            - -5
        command:
        - sh
        - |
          echo "a: b" # no comment

            more
        - |-
          last

# end
      volumes: []
`

describe('the fast reader', () => {
  it('reads what manifests are made of', () => {
    expect(parseFast(manifest)).toEqual(parseFully(manifest))
    expect(parseFast(manifest)).toBeDefined()
  })

  it(`gives up, or agrees with the full parser, on ${texts} mutated texts`, { timeout: 300_000 }, () => {
    let read = 0
    for (let seed = 1; seed <= texts; seed++) {
      const text = mutateText(seededRandom(seed), manifest)
      const fast = parseFast(text)
      if (!fast) continue
      read++
      const full = parseFully(text)
      if (!full || !isDeepStrictEqual(fast.value, full.value)) {
        throw new Error(`seed ${seed}\n${text}\nfast ${JSON.stringify(fast)}\nfull ${JSON.stringify(full)}`)
      }
    }
    expect(read).toBeGreaterThan(texts / 10)
  })
})

// Texts for the fast reader's tests: a manifest with every supported construct, and damaged parts of texts.
import { type Random, randomInteger } from '@dayfly/kit/random'

export const manifest = `---
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
  nothing: # here
  template:
    spec:
      restartPolicy: "Never"   
      containers:
      - name: 'runner'
        image: docker:27-dind
        args: ["--debug", -c, 5, http://x:80/a b , [] ] # more
        env:
          - {name: A, value: /b}

          -
            name: B
            value: null
          -
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

const pieces = [
  [' ', '  ', '    ', '\n', '\n\n', '\u00a0', '\uE000', 'é'],
  ['- ', '-', '-\n', '- - ', '---', '---\n', '...'],
  [': ', ':', '::', ' :', 'a: ', 'a:\n', 'true: ', 'kind: x\n', '<<: ', '? ', '?'],
  ['#', ' #', ' # c\n'],
  ['"', "'", '"a: b"', '|', '|-', '>', '\\'],
  ['[', ']', '{', '}', ',', '[a]', '{a: b}'],
  ['a', '/', '~', 'null', 'yes', '1', '-0', '+1', '1.', '.5', '1e3', '1_0', '0x1', '0o7', '.inf'],
  ['&a', '*a', '!t', '%', '@', '`'],
].flat()

/** Returns some lines of the text without their indentation, with insertions and cuts. The result ends with a newline. */
export function mutateText(random: Random, original: string): string {
  const lines = original.split('\n')
  const from = randomInteger(random, 0, Math.max(0, lines.length - 3))
  const indent = /^ */.exec(lines[from] ?? '')?.[0] ?? ''
  const window = lines.slice(from, from + randomInteger(random, 2, 14))
  let text = window.map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line)).join('\n')
  for (let left = randomInteger(random, 0, 5); left > 0; left--) {
    const at = randomInteger(random, 0, text.length)
    const cut = randomInteger(random, 0, 3) === 0 ? randomInteger(random, 1, 6) : 0
    const piece = cut > 0 ? '' : (pieces[randomInteger(random, 0, pieces.length - 1)] ?? '')
    text = text.slice(0, at) + piece + text.slice(at + cut)
  }
  return text.endsWith('\n') ? text : `${text}\n`
}

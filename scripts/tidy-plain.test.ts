import { describe, expect, it } from 'vitest'
import { checkPlainEnglish } from './tidy/plain.ts'
import { forbiddenOpenings, phraseOpenings, plainWords } from './tidy/plain-words.ts'

function check(path: string, text: string): string[] {
  return checkPlainEnglish({ files: [path], texts: new Map([[path, text]]) }).map(({ message }) => message)
}

const banned = [
  'anew',
  'for ever',
  'without end',
  'for want of memory',
  'mended',
  'the cure',
  'an oddity',
  'debts',
  'it owes nothing',
  'the reign',
  'the pod mirror',
  'a mirror of the cluster',
  'forgeTrouble',
  'no news',
  'lastNews',
  'it was told',
  'NEWS_TOLD',
  'telling',
  'what the list tells',
  'as far as they tell.',
  'tell(news)',
  'whatever',
  'whoever',
  'somebody',
  'anybody',
  'it stands in the list',
  'a key that stands twice',
  'it stood there',
  'the answer is none',
  'it is to be deleted',
  'it speaks of runners',
  'what of the object',
  'it was broken for long.',
  'thereof',
  'wholly',
  'in its stead',
  'as it should be',
  'in vain',
  'at last',
]

describe('words', () => {
  it.each(banned)('finds "%s" in a comment, a string, and a page', (words) => {
    expect(check('src/a.ts', `// We see ${words}\n`)).not.toEqual([])
    expect(check('src/a.ts', `const a = 'We see ${words}'\n`)).not.toEqual([])
    expect(check('docs/a.md', `We see ${words}\n`)).not.toEqual([])
  })

  it('has an example for each entry of the list', () => {
    const text = banned.map((words) => words.replace(/([a-z])([A-Z])/g, '$1 $2').replace(/_/g, ' ')).join('\n')
    expect(plainWords.filter(({ pattern }) => text.search(pattern) < 0)).toEqual([])
  })

  it.each([
    'Tell the doctor the threshold with --podgc-threshold.',
    'The emulator is a stand-in: the clock stands still, and CI stands for continuous integration.',
    'There is none.',
    'It retries forever and waits for long enough.',
    'The registry mirror mirrors images.',
    'The newspaper names a secure retelling and an indebted troubleshooter.',
    'The operator recommends a whole new name that is free to be used.',
  ])('lets "%s" pass', (text) => {
    expect(check('docs/a.md', `${text}\n`)).toEqual([])
  })

  it('reports the line, and what to say', () => {
    const texts = new Map([['src/a.ts', 'const a = 1\n// Begins anew.\n']])
    expect(checkPlainEnglish({ files: [], texts })).toEqual([
      { rule: 'plain', path: 'src/a.ts', line: 2, message: '"anew": say again, or new' },
    ])
  })

  it.each(['scripts/tidy/plain-words.ts', 'scripts/tidy-plain.test.ts', 'test/recorded/a.md', 'a.json'])(
    'does not read %s',
    (path) => {
      expect(check(path, '// anew\n')).toEqual([])
    },
  )
})

describe('openings', () => {
  it.each(forbiddenOpenings)('finds a sentence that begins with "%s"', (word) => {
    const message = `a sentence begins with "${word}": begin with its subject`
    const text = `${word} comes, goes.`
    expect(check('src/a.ts', `// ${text}\n`)).toContain(message)
    expect(check('src/a.ts', `/** Returns it. ${text} */\n`)).toContain(message)
    expect(check('src/a.ts', `const a = 1 // ${text}\n`)).toContain(message)
    expect(check('src/a.cel', `// ${text}\n`)).toContain(message)
    expect(check('src/a.test.ts', `it('${text.toLowerCase()}', () => {})\n`)).toContain(message)
    expect(check('src/a.test.ts', `test.each([\n  [1],\n])('${text.toLowerCase()}', run)\n`)).toContain(message)
    expect(check('docs/a.md', `- It is so. ${text}\n`)).toContain(message)
    expect(check('docs/a.md', `## ${text}\n`)).toContain(message)
  })

  it.each(phraseOpenings)('finds a fragment that begins with "%s", and lets a whole sentence pass', (word) => {
    expect(check('src/a.ts', `// ${word} its object.\n`)).toHaveLength(1)
    expect(check('src/a.ts', `// ${word} its object, it goes.\n`)).toEqual([])
  })

  it.each([
    ['src/a.ts', '// Returns what comes.\n'],
    ['src/a.ts', '// The list says\n// what comes. It goes.\n'],
    ['src/a.ts', "const a = 'What comes.'\n"],
    ['src/a.ts', 'const a = b /* Offers it. */\n'],
    ['docs/a.md', 'What does it do?\n'],
    ['docs/a.md', 'The list says\nWhat comes.\n\n```sh\n# What comes\n```\n\n| What | That |\n'],
  ])('%s: lets %j pass', (path, text) => {
    expect(check(path, text)).toEqual([])
  })
})

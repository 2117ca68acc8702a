// The words and the openings that plain English avoids, each with what to write instead.

/** One word that a reader may have to read twice. The pattern sees the words of an identifier: `forgeTrouble` is `forge Trouble`. */
export type PlainWord = { readonly pattern: RegExp; readonly say: string }

const word = (words: string) => new RegExp(`\\b(?:${words})\\b`, 'gi')

export const plainWords: readonly PlainWord[] = [
  { pattern: word('anew'), say: 'again, or new' },
  { pattern: word('for ever|without end'), say: 'forever, or indefinitely' },
  { pattern: word('for want of'), say: 'because there is no …' },
  {
    // `cured` is a member of the lab's report.
    pattern: word('mend|mends|mended|mending|cure|cures|curing'),
    say: 'fix (a file) or repair (a live cluster)',
  },
  { pattern: word('oddity|oddities'), say: 'protocol anomaly' },
  { pattern: word('debt|debts|owe|owes|owed|owing'), say: 'pending removal' },
  { pattern: word('reign|reigns|reigned'), say: 'leadership, or term' },
  { pattern: /\b(?:pod|set|runner) mirror\b|\bmirrors? of\b/gi, say: 'cache' },
  { pattern: word('trouble|troubles|troubled'), say: 'start failure, failure, or problem' },
  { pattern: word('news'), say: 'event, or message' },
  { pattern: word('told|untold|telling|tell of|tells of|tells'), say: 'reported, reports, or shows' },
  // Without an object: "as far as they tell". "Tell the doctor the threshold" is fine.
  { pattern: /\btell(?=[.,;:()])/gi, say: 'reported, reports, or shows' },
  { pattern: word('whatever|whoever|whichever|wherever|whomever'), say: 'any X that …' },
  { pattern: word("somebody|somebody's|anybody|everybody"), say: 'the actor by name: the operator, another client' },
  { pattern: /\bstands?\b(?!-| (?:still|for|out|up|down|alone)\b)|\bstood\b/gi, say: 'is in, or is stored in' },
  { pattern: /(?<!\bthere )\b(?:is|are|was|were) none\b/gi, say: 'is not …, or does not count as …' },
  { pattern: word('(?:is|are|was|were) to be'), say: 'must be, or will be' },
  { pattern: word('speaks? of|spoke of|what of'), say: 'names, describes, or which part of …' },
  { pattern: /\bfor long\b(?! enough)/gi, say: 'for more than … s' },
  {
    pattern: word(
      'thereof|therein|thereby|wherein|whereby|whence|thence|hence|hereby|lest|albeit|unto|nigh|whilst|amidst|upon|nay|shall|ought|wholly|seldom|forthwith|hitherto|heretofore|naught|nought|whom|in its stead|in their stead',
    ),
    say: 'the plain word: so, in which, by which',
  },
  {
    pattern: word('as it should|in vain|at last|for good'),
    say: 'what was expected, what failed, finally, or permanently',
  },
]

/** A sentence never begins with these: the reader looks for its subject. A question may. */
export const forbiddenOpenings: readonly string[] = [
  'Of',
  'Whose',
  'Who',
  'What',
  'Which',
  'Whoever',
  'Whatever',
  'That',
  'None',
]

/** A sentence that begins with one of these needs a comma: without one it is a fragment. */
export const phraseOpenings: readonly string[] = ['As', 'By', 'For', 'With']

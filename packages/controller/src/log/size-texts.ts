// The log's words about a step of a size.

export const sizeTexts = {
  create: 'The RunnerSet of a size was created.',
  change: 'The RunnerSet of a size was changed.',
  adopt: 'A RunnerSet became a size of this one.',
  drain: 'A size was taken away. Its RunnerSet is paused until its runners have finished.',
  delete: 'The RunnerSet of a size that was taken away was deleted.',
} as const

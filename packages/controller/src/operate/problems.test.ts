// The problems come from the fields of a status. No sentence is read.
import { expect, it } from 'vitest'
import type { Work } from './leader.ts'
import { faultsIn, lastingProblemsOf, problemsOf } from './problems.ts'
import { viewSet } from './set-view.ts'

const github = { url: 'https://github.com/acme', credentials: { secret: 'app' } }
const working: Work = { is: 'working' }
const condition = (type: string, status: string, reason: string, message = '') => ({ type, status, reason, message })

function problems(status: object, spec: object = { github, scale: { max: 1 } }, work = working) {
  const metadata = { name: 'linux', namespace: 'ci', resourceVersion: '1' }
  const view = viewSet({ apiVersion: 'dayfly.dev/v1alpha1', kind: 'RunnerSet', metadata, spec, status })
  return problemsOf(view, work).map(({ reason, sentence, detail, next }) =>
    [reason, sentence, detail, next].join(' | '),
  )
}

const image = 'The node does not have the image and cannot pull it.'
const check = 'Check the name, tag, registry, pull secret and pull policy of the image named in the message.'

it.each<[string, object, readonly string[]]>([
  ['a set without a status', {}, []],
  [
    'a good set',
    { conditions: [condition('Ready', 'True', 'Ready'), condition('Degraded', 'False', 'AsExpected')] },
    [],
  ],
  ['a pause', { conditions: [condition('ForgeConnected', 'Unknown', 'Paused', 'x')] }, []],
  [
    'a failure, which its condition shows, too',
    {
      problems: [{ kind: 'failing', reason: 'image-missing', detail: '2 in a row. a — b' }],
      conditions: [condition('Degraded', 'True', 'ImageMissing', 'any text')],
    },
    [`image-missing | ${image} | 2 in a row. a — b | ${check}`],
  ],
  [
    'one failure of two kinds',
    {
      problems: [
        { kind: 'delayed', reason: 'image-missing', detail: 'one is held up' },
        { kind: 'failing', reason: 'image-missing', detail: '1 in a row' },
      ],
    },
    [`image-missing | ${image} | one is held up 1 in a row | ${check}`],
  ],
  [
    'conditions that are no failure, once for each reason',
    {
      conditions: [
        condition('TemplateAccepted', 'Unknown', 'Checking', 'Dayfly checks the template.'),
        condition('Ready', 'Unknown', 'Checking', 'Dayfly checks the template.'),
        condition('ForgeConnected', 'Unknown', 'Connecting'),
      ],
    },
    [
      'checking | Dayfly checks the template. |  | dayfly explain linux -n ci',
      'connecting |  | reason Connecting | dayfly explain linux -n ci',
    ],
  ],
  [
    'a reason of another version',
    {
      problems: [{ kind: 'failing', reason: 'new-reason', detail: 'x' }],
      conditions: [condition('Degraded', 'True', 'NewReason', 'It is new.')],
    },
    ['new-reason | It is new. |  | dayfly explain linux -n ci'],
  ],
  [
    'a spec that was wrong when the controller read it',
    { lastMessage: 'spec.scale: x', conditions: [condition('Ready', 'False', 'SpecInvalid', 'all of it')] },
    [
      'spec-invalid | The set is not valid. | spec.scale: x | Correct the set. Dayfly reads it again as soon as it changes.',
    ],
  ],
])('%s', (_name, status, expected) => {
  expect(problems(status)).toEqual(expected)
})

it('names the errors of the spec and a missing leader first', () => {
  const nobody: Work = { is: 'no-leader', sentence: 'Nobody leads.', next: 'Start one.' }
  const status = { problems: [{ kind: 'failing', reason: 'image-missing', detail: 'x' }] }
  expect(problems(status, {}, nobody)).toEqual([
    'no-leader | Nobody leads. |  | Start one.',
    expect.stringMatching(/^spec-invalid \| The set is not valid\. \| spec\./),
    `image-missing | ${image} | x | ${check}`,
  ])
})

it('states that pass by themselves are no lasting problems, but an unreachable forge is', () => {
  const metadata = { name: 'linux', namespace: 'ci', resourceVersion: '1' }
  const conditions = [
    condition('Ready', 'Unknown', 'Starting', 'No runner of this template has come online yet.'),
    condition('TemplateAccepted', 'Unknown', 'Checking', 'Dayfly checks the template.'),
    condition('ForgeConnected', 'Unknown', 'ForgeUnreachable', 'x'),
  ]
  const problems = [{ kind: 'forge', reason: 'forge-unreachable', detail: 'refused' }]
  const view = viewSet({
    ...{ apiVersion: 'dayfly.dev/v1alpha1', kind: 'RunnerSet', metadata },
    ...{ spec: { github, scale: { max: 1 } }, status: { conditions, problems } },
  })
  expect(lastingProblemsOf(view, working).map(({ reason }) => reason)).toEqual(['forge-unreachable'])
  expect(lastingProblemsOf(view, { is: 'behind', sentence: 'x', next: 'y' })).toHaveLength(2)
})

it('separates a problem that has not happened yet from the others', () => {
  const view = viewSet({
    ...{ apiVersion: 'dayfly.dev/v1alpha1', kind: 'RunnerSet', spec: { github, scale: { max: 1 } } },
    metadata: { name: 'linux', namespace: 'ci', resourceVersion: '1' },
    status: {
      problems: [
        { kind: 'failing', reason: 'image-missing', detail: '' },
        { kind: 'version', reason: 'runner-version-ends', detail: '' },
      ],
    },
  })
  const found = problemsOf(view, working)
  expect([found, faultsIn(found)].map((some) => some.map(({ reason }) => reason))).toEqual([
    ['image-missing', 'runner-version-ends'],
    ['image-missing'],
  ])
})

// The sentences were recorded from kube-apiserver 1.36.
import { seededRandom } from '@dayfly/kit/random'
import { virtualClock } from '@dayfly/kit/virtual-clock'
import { describe, expect, it, test } from 'vitest'
import { createStore } from '../../../store/store.ts'
import { createRegistry } from '../../create-registry.ts'
import { refusal } from '../../refusal.fixture.ts'

type Json = Record<string, unknown>
type Rule = Json & { readonly rule?: string }

const definitions = 'customresourcedefinitions.apiextensions.k8s.io'
const things = 'things.t.dev'
const integer = { type: 'integer' }
const withRules = (schema: Json, ...rules: readonly Rule[]): Json => ({ ...schema, 'x-kubernetes-validations': rules })

const properties = {
  bad: { type: 'object', properties: { x: integer } },
  scale: { type: 'object', properties: { min: integer, max: integer } },
  url: withRules({ type: 'string', maxLength: 100 }, { rule: 'self == oldSelf', message: 'is immutable' }),
  num: withRules(integer, { rule: 'self > 1', message: 'num small' }),
  b: withRules({ type: 'boolean' }, { rule: 'self', message: 'b must be true' }),
  list: withRules(
    {
      type: 'array',
      maxItems: 3,
      items: withRules(
        { type: 'object', properties: { cnt: integer } },
        { rule: 'self.cnt > 0', message: 'n positive', fieldPath: '.cnt' },
      ),
    },
    { rule: 'self.size() < 3', message: 'too long list' },
  ),
  m: {
    type: 'object',
    maxProperties: 3,
    additionalProperties: withRules({ type: 'string', maxLength: 5 }, { rule: "self != 'q'", message: 'no q' }),
  },
  opt: withRules(
    { type: 'string', maxLength: 10 },
    { rule: "oldSelf.hasValue() || self == 'new'", optionalOldSelf: true, message: 'must start as new' },
  ),
}

const specRules: readonly Rule[] = [
  {
    rule: '!has(self.scale) || !has(self.scale.min) || self.scale.min <= self.scale.max',
    message: 'min above max',
    fieldPath: '.scale.min',
  },
  {
    rule: "!has(self.url) || self.url != 'me'",
    messageExpression: "'url is ' + self.url",
    reason: 'FieldValueForbidden',
  },
  { rule: "!has(self.url) || self.url != 'me'", messageExpression: "'  '" },
  { rule: "!has(self.url) || self.url != 'x'", message: 'required', fieldPath: '.url', reason: 'FieldValueRequired' },
  { rule: "!has(self.url) || self.url != 'dup'", message: 'dupl', fieldPath: '.url', reason: 'FieldValueDuplicate' },
  { rule: 'self.bad.x == 1 || true' },
  { rule: "!has(self.url) || self.url.matches('^[a-z]+$')" },
]

function definition(rules: readonly Rule[], more: Json = {}): Json {
  const spec = withRules({ type: 'object', properties: { ...properties, ...more } }, ...rules)
  const status = withRules(
    { type: 'object', properties: { ok: { type: 'boolean' } } },
    { rule: 'self.ok', message: 'not ok' },
  )
  const openAPIV3Schema = withRules(
    { type: 'object', properties: { spec, status } },
    { rule: 'size(self.metadata.name) <= 5', message: 'name too long', fieldPath: '.spec' },
  )
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: things },
    spec: {
      group: 't.dev',
      scope: 'Namespaced',
      names: { plural: 'things', kind: 'Thing' },
      versions: [
        { name: 'v1', served: true, storage: true, subresources: { status: {} }, schema: { openAPIV3Schema } },
      ],
    },
  }
}

function world(rules: readonly Rule[] = specRules, more: Json = {}) {
  const registry = createRegistry({ store: createStore(), clock: virtualClock(), random: seededRandom(1) })
  registry.create('namespaces', { metadata: { name: 'ci' } })
  registry.create(definitions, definition(rules, more))
  return registry
}

const thing = (spec: Json, name = 'a'): Json => ({
  apiVersion: 't.dev/v1',
  kind: 'Thing',
  metadata: { name, namespace: 'ci' },
  spec,
})

const sentences = (act: () => unknown) =>
  refusal(act)
    .message.replace(/^.* is invalid: (\[)?/, '')
    .replace(/\]$/, '')
    .split(/, (?=[\w<][\w[\].<>]*: )/)

describe('an object', () => {
  test('is refused with the sentence and the path of each broken rule', () => {
    const spec = {
      scale: { min: 5, max: 1 },
      num: 0,
      b: false,
      url: 'x',
      list: [{ cnt: 1 }, { cnt: 0 }, { cnt: -1 }],
      m: { k: 'q' },
      opt: 'z',
      bad: {},
    }
    expect(sentences(() => world().create(things, thing(spec))).toSorted()).toEqual(
      [
        'spec.scale.min: Invalid value: min above max',
        'spec.url: Required value: required',
        'spec.m[k]: Invalid value: "q": no q',
        'spec.num: Invalid value: 0: num small',
        'spec.opt: Invalid value: "z": must start as new',
        'spec.b: Invalid value: false: b must be true',
        'spec.list: Invalid value: too long list',
        'spec.list[1].cnt: Invalid value: n positive',
        'spec.list[2].cnt: Invalid value: n positive',
      ].toSorted(),
    )
  })

  test.each<[string, Json, readonly string[]]>([
    [
      'with the reason and the message expression of a rule',
      { url: 'me', opt: 'new' },
      [
        'spec: Invalid value: name too long',
        'spec: Forbidden: url is me',
        "spec: Invalid value: failed rule: !has(self.url) || self.url != 'me'",
      ],
    ],
    ['for a duplicate', { url: 'dup' }, ['spec: Invalid value: name too long', 'spec.url: Duplicate value']],
    [
      'with the rule itself if it has no message',
      { url: 'A1' },
      [
        'spec: Invalid value: name too long',
        "spec: Invalid value: failed rule: !has(self.url) || self.url.matches('^[a-z]+$')",
      ],
    ],
    [
      'for a rule that fails',
      { opt: 'new', scale: { min: 3 } },
      [
        'spec: Invalid value: name too long',
        'spec: Invalid value: "object": no such key: max evaluating rule: min above max',
      ],
    ],
    [
      'for its structure first',
      { scale: { max: 's', min: 9 } },
      [
        'spec.scale.max: Invalid value: "string": spec.scale.max in body must be of type integer: "string"',
        '<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
      ],
    ],
  ])('is refused %s', (_name, spec, expected) => {
    expect(sentences(() => world().create(things, thing(spec, 'abcdefgh')))).toEqual(expected)
  })

  test('is compared with its old value by transition rules, and only when there is one', () => {
    const registry = world()
    const stored = registry.create(things, thing({ url: 'abc', bad: { x: 1 } }))
    const change = (spec: Json) => () => registry.update(things, { ...stored, spec })
    expect(sentences(change({ url: 'def', bad: { x: 1 } }))).toEqual(['spec.url: Invalid value: "def": is immutable'])
    expect(sentences(change({ url: 'abc', opt: 'def' }))).toEqual(['spec.opt: Invalid value: "def": must start as new'])
    expect(change({ url: 'abc', opt: 'new' })()).toMatchObject({ spec: { opt: 'new' } })
  })

  test('is checked by the rules of its status when the status is written', () => {
    const registry = world()
    const stored = registry.create(things, thing({}))
    const write = () => registry.update(things, { ...stored, status: { ok: false } }, { subresource: 'status' })
    expect(sentences(write)).toEqual(['status: Invalid value: not ok'])
  })

  test('may keep a value that an older definition allowed', () => {
    const registry = world([])
    const stored = registry.create(things, thing({ scale: { min: 5, max: 1 } }))
    const current = registry.get(definitions, undefined, things)
    registry.update(definitions, { ...current, spec: definition(specRules)['spec'] })
    const labelled = { ...stored, metadata: { ...stored.metadata, labels: { a: 'b' } } }
    expect(registry.update(things, labelled)).toMatchObject({ metadata: { labels: { a: 'b' } } })
    const changed = { ...registry.get(things, 'ci', 'a'), spec: { scale: { min: 6, max: 1 } } }
    expect(sentences(() => registry.update(things, changed))).toEqual(['spec.scale.min: Invalid value: min above max'])
  })
})

describe('a definition', () => {
  const at = 'spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations[0]'
  const shown = (rule: string, more = '"MessageExpression":""') =>
    `{"Rule":${JSON.stringify(rule).replaceAll('>', '\\u003e')},"Message":"",${more},"Reason":null,"FieldPath":"","OptionalOldSelf":null}`
  const refused = (rule: Rule) => {
    const { message } = refusal(() => world([rule]))
    return message.replace('CustomResourceDefinition.apiextensions.k8s.io "things.t.dev" is invalid: ', '')
  }

  test.each<[Rule, string]>([
    [
      { rule: 'self.nope > 1' },
      `${at}.rule: Invalid value: ${shown('self.nope > 1')}: compilation failed: ERROR: <input>:1:5: undefined field 'nope'\n | self.nope > 1\n | ....^`,
    ],
    [
      { rule: 'has(self.nope)' },
      `${at}.rule: Invalid value: ${shown('has(self.nope)')}: compilation failed: ERROR: <input>:1:4: undefined field 'nope'\n | has(self.nope)\n | ...^`,
    ],
    [
      { rule: 'self.scale.min > "a"' },
      `${at}.rule: Invalid value: ${shown('self.scale.min > "a"')}: compilation failed: ERROR: <input>:1:16: found no matching overload for '_>_' applied to '(int, string)'\n | self.scale.min > "a"\n | ...............^`,
    ],
    [
      { rule: 'self.scale.min' },
      `${at}.rule: Invalid value: ${shown('self.scale.min')}: cel expression must evaluate to a bool`,
    ],
    [{ rule: '' }, `${at}.rule: Required value: rule is not specified`],
    [{ message: 'x' }, `${at}.rule: Required value: rule is not specified`],
    [{ rule: 'true', message: 'a\nb' }, `${at}.message: Invalid value: "a\\nb": must not contain line breaks`],
    [{ rule: 'true', fieldPath: '.nope' }, `${at}.fieldPath: Invalid value: ".nope": must be a valid path`],
    [
      { rule: 'true', reason: 'Nope' },
      `${at}.reason: Unsupported value: "Nope": supported values: "FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"`,
    ],
    [
      { rule: 'true', messageExpression: '1' },
      `${at}.messageExpression: Invalid value: ${shown('true', '"MessageExpression":"1"')}: messageExpression must evaluate to a string`,
    ],
    [
      { rule: 'nofunc(self.scale)' },
      `${at}.rule: Invalid value: ${shown('nofunc(self.scale)')}: compilation failed: ERROR: <input>:1:7: undeclared reference to 'nofunc' (in container '')\n | nofunc(self.scale)\n | ......^`,
    ],
    [
      { rule: 'true', optionalOldSelf: true },
      `${at}.optionalOldSelf: Invalid value: true: may not be set if oldSelf is not used in rule`,
    ],
  ])('is refused for the rule %j', (rule, sentence) => {
    expect(refused(rule)).toBe(sentence)
  })

  it('is refused for a function that the embedded cluster cannot evaluate', () => {
    expect(refused({ rule: "'%s'.format([self.url]) != ''" })).toBe(
      `${at}.rule: Forbidden: the embedded cluster cannot evaluate format. Use another function, or another cluster`,
    )
  })

  it('is refused for an old value in a list whose items have no key', () => {
    const items = withRules({ type: 'string' }, { rule: 'self == oldSelf' })
    expect(refusal(() => world([], { names: { type: 'array', items } })).message).toContain(
      'properties[names].items.x-kubernetes-validations[0].rule: Invalid value: "self == oldSelf": oldSelf cannot be used on the uncorrelatable portion of the schema',
    )
  })

  it('is refused for a rule in a combined schema', () => {
    const combined = { type: 'string', anyOf: [withRules({}, { rule: 'true' })] }
    expect(refusal(() => world([], { combined })).message).toContain(
      'properties[combined].anyOf[0].x-kubernetes-validations: Forbidden: must be empty to be structural',
    )
  })
})

describe('a rule', () => {
  const more = {
    names: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
    ports: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      items: withRules(
        { type: 'object', properties: { name: { type: 'string' }, port: integer } },
        { rule: 'self.port == oldSelf.port', message: 'port is immutable' },
      ),
    },
    numbers: { type: 'array', items: integer },
    ratio: { type: 'number' },
    either: { 'x-kubernetes-int-or-string': true },
    at: { type: 'string', format: 'date-time' },
    maybe: { type: 'string', nullable: true },
    namespace: { type: 'string' },
    'a-b.c/d__e': { type: 'string' },
    whole: { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
  }
  const spec = {
    names: ['a', 'b'],
    ports: [{ name: 'http', port: 80 }],
    numbers: [1, 2, 3],
    ratio: 1,
    either: 5,
    at: '2026-01-01T00:00:00Z',
    maybe: null,
    namespace: 'n',
    'a-b.c/d__e': 'x',
    url: 'https://user@example.com:8443/a/b?c=d#e',
    m: { k: 'v' },
    scale: { max: 3 },
    whole: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' } },
  }

  test.each([
    "self.names.all(name, name.matches('^[a-z]$')) && 'a' in self.names",
    "self.names.exists(n, n == 'a') && self.names.exists_one(n, n == 'a')",
    "self.names.map(n, n + '!').filter(n, n != 'a!') == ['b!']",
    'self.numbers.isSorted() && self.numbers.sum() == 6 && self.numbers.min() == 1 && self.numbers.max() == 3',
    'self.numbers.indexOf(2) == 1 && self.numbers.lastIndexOf(7) == -1',
    "sets.contains(self.names, ['a']) && sets.intersects(self.names, ['b', 'c']) && !sets.equivalent(self.names, ['a'])",
    "'abcabc'.replace('b', '-') == 'a-ca-c' && 'abcabc'.replace('b', '-', 1) == 'a-cabc' && 'abc'.charAt(1) == 'b'",
    "'a1b22'.find('[0-9]+') == '1' && 'a1b22'.findAll('[0-9]+') == ['1', '22'] && 'a1b22'.findAll('[0-9]+', 1) == ['1']",
    "'A,B'.lowerAscii().split(',') == ['a', 'b'] && ' x '.trim() == 'x' && 'hello'.substring(1, 3) == 'el'",
    "quantity('1Gi').isGreaterThan(quantity('1G')) && quantity('500m') == quantity('0.5') && isQuantity('1k') && !isQuantity('x')",
    "quantity('2').add(1).asInteger() == 3 && quantity('1').compareTo(quantity('2')) == -1 && quantity('1').sub(quantity('2')).sign() == -1",
    "duration('1h30m') > duration('80m') && timestamp('2026-01-01T00:00:00Z') == self.at",
    'self.ratio < 1.5 && double(self.scale.max) > self.ratio',
    "type(self.either) == int && self.either == 5 || self.either == '5'",
    'self.maybe == null',
    "self.__namespace__ == 'n' && self.a__dash__b__dot__c__slash__d__underscores__e == 'x'",
    "self.m['k'] == 'v' && self.m.all(key, self.m[key] == 'v') && self.m.k == 'v' && !('x' in self.m)",
    "self.whole.kind == 'Pod' && self.whole.metadata.name == 'p'",
    'self.?scale.?min.orValue(7) == 7 && self.?scale.max.hasValue() && !optional.none().hasValue()',
    'cel.bind(top, self.scale.max, top > 2 && top < 4)',
    "self.scale == self.scale && self.ports == self.ports && self.ports.all(p, p.name != '' && has(p.port))",
    'has(self.bad) ? self.bad.x == 1 : !has(self.scale.min)',
  ])('can say %s', (rule) => {
    const kept = world([{ rule }], more).create(things, thing(spec))
    expect(kept.metadata.name).toBe('a')
    const broken = world([{ rule: `!(${rule})`, message: 'no' }], more)
    expect(sentences(() => broken.create(things, thing(spec)))).toEqual(['spec: Invalid value: no'])
  })

  it('compares an item of a list with the old item of the same key', () => {
    const registry = world([], more)
    const stored = registry.create(things, thing({ ports: spec.ports }))
    const ports = [
      { name: 'new', port: 1 },
      { name: 'http', port: 81 },
    ]
    expect(sentences(() => registry.update(things, { ...stored, spec: { ports } }))).toEqual([
      'spec.ports[1]: Invalid value: port is immutable',
    ])
  })

  test.each([
    ['nested macros over long lists', 'self.numbers.all(a, self.numbers.all(b, self.numbers.all(c, a + b + c >= 0)))'],
    ['nested macros over lists of its own', `${'[1, 2, 3, 4, 5].all(x, '.repeat(12)}true${')'.repeat(12)}`],
    ['parts of a long text', "self.ns.split('').all(a, self.ns.split('').all(b, a == b))"],
  ])('is given up before it takes long: %s', (_name, rule) => {
    const numbers = Array.from({ length: 2_000 }, (_, index) => index)
    const longText = { ns: { type: 'string' } }
    const registry = world([{ rule, message: 'm' }], { ...more, ...longText })
    expect(sentences(() => registry.create(things, thing({ numbers, ns: 'a'.repeat(10_000) })))).toEqual([
      'spec: Invalid value: "object": operation cancelled: actual cost limit exceeded evaluating rule: m',
    ])
  })

  test.each([
    `${'('.repeat(500)}true${')'.repeat(500)}`,
    `true${' && true'.repeat(20_000)}`,
    "'''",
    '\u0000',
    'self.__proto__ == 1',
    'has(self.constructor)',
  ])('is refused without harm: %.40s', (rule) => {
    expect(refusal(() => world([{ rule }])).message).toMatch(/compilation failed: ERROR: <input>:1:/)
  })
})

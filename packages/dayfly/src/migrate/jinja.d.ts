// The part of the package `@huggingface/jinja` that this room uses. Node's resolution does not find the imports of the package's own types.
// Source: https://github.com/huggingface/huggingface.js/tree/main/packages/jinja/src
declare module '@huggingface/jinja' {
  export type Token = { readonly type: string; readonly value: string }

  /** The nodes of the syntax tree that this room reads or makes. Two are its own: a node with its value, and the start of a loop's round. */
  export type Node =
    | { readonly type: 'Known'; readonly value: Value }
    | { readonly type: 'Round'; readonly names: Set<string> }
    | { readonly type: 'Comment' | 'Identifier' | 'StringLiteral'; readonly value: string }
    | { readonly type: 'IntegerLiteral' | 'FloatLiteral'; readonly value: number }
    | { readonly type: 'ArrayLiteral'; readonly value: readonly Node[] }
    | { readonly type: 'KeywordArgumentExpression'; readonly key: Identifier; readonly value: Node }
    | { readonly type: 'SpreadExpression' | 'KeywordSpreadExpression' | 'TupleLiteral' }
    | { readonly type: 'SelectExpression'; readonly lhs: Node; readonly test: Node }
    | Call
    | Member
    | Binary
    | Filter
    | { readonly type: 'TestExpression'; readonly operand: Node; readonly negate: boolean; readonly test: Identifier }
    | { readonly type: 'If'; readonly test: Node; readonly body: readonly Node[]; readonly alternate: readonly Node[] }
    | Loop

  export type Identifier = { readonly type: 'Identifier'; readonly value: string }
  export type Call = { readonly type: 'CallExpression'; readonly callee: Node; readonly args: readonly Node[] }
  export type Member = {
    readonly type: 'MemberExpression'
    readonly object: Node
    readonly property: Node
    readonly computed: boolean
  }
  export type Binary = {
    readonly type: 'BinaryExpression'
    readonly operator: Token
    readonly left: Node
    readonly right: Node
  }
  export type Loop = {
    readonly type: 'For'
    readonly iterable: Node
    readonly loopvar: Node
    readonly body: readonly Node[]
  }
  export type Filter = {
    readonly type: 'FilterExpression'
    readonly operand: Node
    readonly filter: Identifier | (Call & { readonly callee: Identifier })
  }

  /** A value of the interpreter. Only its type is different for an integer and a float, and for a list and a tuple. */
  export type Value = { readonly type: string; readonly value: Inner; __bool__(): { readonly value: boolean } }

  export type Inner =
    | undefined
    | null
    | boolean
    | number
    | string
    | readonly Value[]
    | ReadonlyMap<string, Value>
    | ((given: readonly Value[]) => Value)

  export function tokenize(source: string): Token[]
  export function parse(tokens: readonly Token[]): Node

  export class Environment {
    readonly variables: Map<string, Value>
    set(name: string, value: unknown): Value
  }

  export class Interpreter {
    constructor(environment: Environment)
    run(program: Node): Value
    evaluate(node: Node | undefined, environment: Environment): Value
  }
}

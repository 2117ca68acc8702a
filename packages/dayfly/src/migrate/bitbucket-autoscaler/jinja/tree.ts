// The tree of a template.

export type Expression =
  | { readonly is: 'constant'; readonly value: null | boolean | bigint | number | string; readonly line: number }
  | { readonly is: 'name'; readonly name: string; readonly line: number }
  | { readonly is: 'list'; readonly items: readonly Expression[]; readonly line: number }
  | { readonly is: 'map'; readonly entries: readonly (readonly [Expression, Expression])[]; readonly line: number }
  | { readonly is: 'member'; readonly of: Expression; readonly name: string; readonly line: number }
  | { readonly is: 'item'; readonly of: Expression; readonly key: Expression; readonly line: number }
  | {
      readonly is: 'slice'
      readonly of: Expression
      readonly from: Expression | undefined
      readonly to: Expression | undefined
      readonly line: number
    }
  | { readonly is: 'call'; readonly of: Expression; readonly given: Arguments; readonly line: number }
  | {
      readonly is: 'filter'
      readonly of: Expression
      readonly name: string
      readonly given: Arguments
      readonly line: number
    }
  | { readonly is: 'test'; readonly of: Expression; readonly name: string; readonly line: number }
  | { readonly is: 'not' | 'minus'; readonly of: Expression; readonly line: number }
  | {
      readonly is: 'binary'
      readonly operator: Operator
      readonly left: Expression
      readonly right: Expression
      readonly line: number
    }
  | {
      readonly is: 'if'
      readonly condition: Expression
      readonly then: Expression
      readonly otherwise: Expression | undefined
      readonly line: number
    }

export type Operator =
  | 'or'
  | 'and'
  | 'in'
  | '=='
  | '!='
  | '<'
  | '>'
  | '<='
  | '>='
  | '+'
  | '-'
  | '~'
  | '*'
  | '/'
  | '//'
  | '%'

export type Arguments = {
  readonly positional: readonly Expression[]
  readonly named: ReadonlyMap<string, Expression>
}

export type Statement =
  | { readonly is: 'text'; readonly text: string }
  | { readonly is: 'output'; readonly value: Expression }
  | { readonly is: 'set'; readonly name: string; readonly value: Expression }
  | {
      readonly is: 'if'
      readonly branches: readonly { readonly condition: Expression; readonly body: readonly Statement[] }[]
      readonly otherwise: readonly Statement[]
    }
  | {
      readonly is: 'for'
      readonly names: readonly string[]
      readonly over: Expression
      readonly condition: Expression | undefined
      readonly body: readonly Statement[]
      readonly otherwise: readonly Statement[]
      readonly line: number
    }

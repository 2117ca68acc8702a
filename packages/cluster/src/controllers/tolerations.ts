// Decides whether a toleration of a pod matches a taint of a node.
type Fields = Readonly<Record<string, unknown>>

export function tolerates(toleration: Fields, taint: Fields): boolean {
  const { effect = '', key = '', operator = 'Equal', value = '' } = toleration
  if (effect !== '' && effect !== taint['effect']) return false
  if (key !== '' && key !== taint['key']) return false
  if (operator === 'Exists') return true
  return operator === 'Equal' && key !== '' && value === (taint['value'] ?? '')
}

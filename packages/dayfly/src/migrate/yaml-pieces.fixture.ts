// Texts that may change the structure of a YAML document, or the type of a value, at any place.
export const yamlPieces = [
  ...['[]', '{}', 'null', '~', '- ', '  ', ': ', '"', "'", '#', '&a ', '*a', '<<: *a'],
  ...['0644', 'on', '\n', '🚀', '\0'],
]

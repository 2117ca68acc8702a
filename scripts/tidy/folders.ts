// Checks the imports between the folders of one room.
import { type Finding, isTest, isTestSupport, type Source } from './source.ts'

/** Maps each folder of a room to the folders of that room it may import. `.` is the room's top level; a path names one file. */
export type FolderTable = Readonly<Record<string, readonly string[]>>

const tables: Readonly<Record<string, FolderTable>> = {
  controller: {
    '.': ['act', 'observe'],
    act: ['resources.ts', 'observe'],
    observe: [],
    health: ['.'],
    log: [],
    metrics: ['.'],
  },
  embedded: {
    '.': ['api', 'controllers', 'kubelet', 'runtime', 'store', 'wire'],
    api: ['store'],
    store: [],
    controllers: ['api', 'store/object.ts', 'store/event-ring.ts', 'event-recorder.ts'],
    kubelet: ['api', 'runtime', 'store/object.ts', 'event-recorder.ts'],
    runtime: [],
    wire: ['api', 'store/object.ts', 'store/event-ring.ts'],
  },
  lab: { '.': ['incidents'], incidents: ['.'] },
  doctor: {
    '.': [],
    objects: ['.'],
    sources: ['.'],
    versions: ['.', 'sources'],
    arc: ['.', 'objects'],
    pods: ['.', 'objects', 'arc/arc.ts'],
    configuration: ['.', 'sources'],
    rendered: ['.', 'sources'],
    rules: ['.', 'objects', 'pods', 'arc'],
    clusters: ['.', 'sources'],
    engine: ['.', 'sources', 'versions', 'pods', 'clusters'],
    fixes: ['.', 'sources'],
    live: ['.', 'arc', 'pods', 'engine'],
    reporters: ['.', 'sources', 'engine', 'fixes', 'live/examine.ts'],
  },
}

/** Checks production code of the rooms that have a table, and the tables themselves. */
export function checkFolders(
  sources: readonly Source[],
  rooms: Readonly<Record<string, FolderTable>> = tables,
): Finding[] {
  return Object.entries(rooms).flatMap(([room, table]) => {
    const production = sources.filter(
      ({ path }) => path.startsWith(`src/${room}/`) && !isTest(path) && !isTestSupport(path),
    )
    return [...production.flatMap((source) => checkSource(source, room, table)), ...checkTable(production, room, table)]
  })
}

function checkSource(source: Source, room: string, table: FolderTable): Finding[] {
  const folder = folderOf(source.path, room)
  const allowed = table[folder]
  if (!allowed) {
    const message = `the table of src/${room} does not name the folder ${folder}`
    return [{ rule: 'folder', path: source.path, line: 1, message }]
  }
  return source.imports.flatMap(({ file, line }) => {
    if (!file?.startsWith(`src/${room}/`)) return []
    const target = folderOf(file, room)
    const name = file.slice(`src/${room}/`.length)
    if (target === folder || allowed.includes(target) || allowed.includes(name)) return []
    const message = `src/${room}: ${folder} may not import ${name}; it may import ${allowed.join(', ') || 'nothing'}`
    return [{ rule: 'folder', path: source.path, line, message }]
  })
}

function checkTable(production: readonly Source[], room: string, table: FolderTable): Finding[] {
  const folders = new Set(production.map(({ path }) => folderOf(path, room)))
  return Object.keys(table)
    .filter((folder) => !folders.has(folder))
    .map((folder) => {
      const message = `the table of src/${room} names the folder ${folder}, which has no files`
      return { rule: 'folder', path: 'scripts/tidy/folders.ts', line: 1, message }
    })
}

/** Returns the first folder below the room, or `.` for a file of its top level. */
function folderOf(path: string, room: string): string {
  const [first = '', ...rest] = path.slice(`src/${room}/`.length).split('/')
  return rest.length === 0 ? '.' : first
}

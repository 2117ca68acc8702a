// Writes the settings of a Gitea server that is silent towards the outside: it listens on loopback, and makes no call by itself.
import path from 'node:path'

/** One line of app.ini. The section may be empty. */
export type Setting = { readonly section: string; readonly key: string; readonly value: string }

export type GiteaPlace = {
  /** The folder of the server's data. */
  readonly folder: string
  /** The folder of its templates and translations. */
  readonly assets: string
  readonly port: number
  /** The user who runs it. */
  readonly user: string
}

/** Reads `section.KEY=value`, such as `actions.ZOMBIE_TASK_TIMEOUT=3s`. Returns undefined for another form. */
export function readSetting(text: string): Setting | undefined {
  const [, section, key, value] = /^(.*)\.([A-Za-z0-9_]+)=(.*)$/s.exec(text) ?? []
  return section === undefined || key === undefined || value === undefined ? undefined : { section, key, value }
}

/** Returns the text of app.ini. `more` replaces settings of the same name. */
export function appIni(place: GiteaPlace, more: readonly Setting[]): string {
  const sections = new Map<string, Map<string, string>>()
  for (const { section, key, value } of [...ownSettings(place), ...more]) {
    sections.set(section, (sections.get(section) ?? new Map()).set(key, value))
  }
  const texts = [...sections].map(([name, entries]) => {
    const lines = [...entries].map(([key, value]) => `${key} = ${value}\n`)
    return `${name === '' ? '' : `[${name}]\n`}${lines.join('')}`
  })
  return texts.join('\n')
}

function ownSettings({ folder, assets, port, user }: GiteaPlace): readonly Setting[] {
  const url = `http://127.0.0.1:${port}/`
  const sections: Readonly<Record<string, Readonly<Record<string, string | number | boolean>>>> = {
    '': { RUN_MODE: 'prod', RUN_USER: user, WORK_PATH: folder },
    server: {
      PROTOCOL: 'http',
      HTTP_ADDR: '127.0.0.1',
      HTTP_PORT: port,
      ROOT_URL: url,
      LOCAL_ROOT_URL: url,
      DISABLE_SSH: true,
      OFFLINE_MODE: true,
      STATIC_ROOT_PATH: assets,
    },
    database: { DB_TYPE: 'sqlite3', PATH: path.join(folder, 'data', 'gitea.db'), SQLITE_JOURNAL_MODE: 'WAL' },
    // A cheap hash, because the passwords protect nothing.
    security: { INSTALL_LOCK: true, PASSWORD_HASH_ALGO: 'pbkdf2_v1' },
    service: { DISABLE_REGISTRATION: true },
    picture: { DISABLE_GRAVATAR: true },
    'cron.update_checker': { ENABLED: false },
    indexer: { ISSUE_INDEXER_TYPE: 'db' },
    // The default allows only addresses outside this machine.
    webhook: { ALLOWED_HOST_LIST: 'loopback' },
    log: { MODE: 'console', LEVEL: 'Info' },
    actions: { ENABLED: true },
  }
  return Object.entries(sections).flatMap(([section, entries]) =>
    Object.entries(entries).map(([key, value]) => ({ section, key, value: String(value) })),
  )
}

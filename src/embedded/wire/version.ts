// The answer to /version.
import type { Profile } from '../api/api.ts'

/** Returns the version. Clients parse gitVersion as a semantic version; its build metadata names this server. */
export function versionInfo(profile: Profile): object {
  const [major = '', minor = ''] = profile.split('.')
  return {
    major,
    minor,
    gitVersion: `v${profile}.0+dayfly`,
    gitCommit: '',
    gitTreeState: 'clean',
    buildDate: '1970-01-01T00:00:00Z',
    goVersion: '',
    compiler: '',
    platform: 'embedded',
  }
}

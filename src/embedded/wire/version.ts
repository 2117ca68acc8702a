// What /version answers.
import type { Profile } from '../api/api.ts'

/** Clients parse gitVersion as a semantic version; the build says whose server it is. */
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

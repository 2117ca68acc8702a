import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { ReleaseFailure } from './failure.ts'
import { checkOptions, releaseOptions } from './options.ts'
import { isLoopback } from './registry.ts'
import { stampChart, stampValues } from './stamp.ts'

const chart = (file: string) => readFileSync(path.resolve('deploy/chart', file), 'utf8')

describe('the chart of a release', () => {
  const image = { name: 'registry.example/acme/dayfly', digest: `sha256:${'a'.repeat(64)}` }

  it('names the published image by its digest, and changes no other value', () => {
    const values = chart('values.yaml')
    const { image: named, ...others } = parse(stampValues(values, image))
    const { image: before, ...same } = parse(values)
    expect(named).toEqual({ ...before, repository: image.name, digest: image.digest })
    expect(others).toEqual(same)
    expect(stampValues(values, image)).not.toContain('npm run image')
  })

  it('shows the published image to Artifact Hub', () => {
    const [shown] = parse(parse(stampChart(chart('Chart.yaml'), image)).annotations['artifacthub.io/images'])
    expect(shown.image).toMatch(/^registry\.example\/acme\/dayfly:\d+\.\d+\.\d+@sha256:a{64}$/)
  })

  it('is not made of a chart without the default image', () => {
    expect(() => stampValues('image:\n  repository: other\n', image)).toThrow('0 places')
    expect(() => stampChart('name: dayfly\n', image)).toThrow('0 places')
  })
})

describe('the options of a release', () => {
  const codeOf = (args: readonly string[]) => {
    try {
      releaseOptions(args)
    } catch (error) {
      return error instanceof ReleaseFailure ? error.code : error
    }
    return 'accepted'
  }

  it('name a registry and the images of this machine by default', () => {
    expect(releaseOptions(['--registry', 'localhost:5000/a/b'])).toEqual({
      registry: 'localhost:5000/a/b',
      images: ['dist/image'],
      key: undefined,
      chartKey: undefined,
      publication: undefined,
    })
    expect(releaseOptions(['--registry=a', '--images=b', '--images=c']).images).toEqual(['b', 'c'])
    expect(checkOptions(['--tag=v1', '--repository=r'])).toEqual({ tag: 'v1', repository: 'r' })
  })

  it.each([
    ['registry-invalid', []],
    ['registry-invalid', ['--registry', 'https://a.example']],
    ['registry-invalid', ['--registry', 'a/../b c']],
    ['options-incomplete', ['--registry', 'a', '--tag', 'v1']],
    ['options-incomplete', ['--registry', 'a', '--chart-signer', 'b']],
    ['option-unknown', ['--registry', 'a', '--force']],
    ['option-unknown', ['--registry', 'a', 'b']],
  ])('are refused with %s: %j', (code, args) => {
    expect(codeOf(args)).toBe(code)
  })

  it('allow clear text only to this machine', () => {
    expect(['localhost:5000', '127.0.0.1:5000/a', 'localhost/a'].map(isLoopback)).toEqual([true, true, true])
    expect(['localhost.example/a', '127.0.0.1.example', 'a/localhost'].map(isLoopback)).toEqual([false, false, false])
  })
})

// `--max-file-size`: the limit for each file that the doctor reads.
import { InvalidArgumentError, Option } from 'commander'
import { fileBytesMax } from '../read/files/read-text.ts'

const mebibyte = 1024 * 1024
const most = 256

/** Its value is a number of bytes. */
export function maxFileSizeOption(): Option {
  return new Option('--max-file-size <MiB>', `leave out files larger than this, up to ${most} MiB`)
    .default(fileBytesMax, String(fileBytesMax / mebibyte))
    .argParser(bytesOf)
}

function bytesOf(text: string): number {
  const size = /^\d{1,3}$/.test(text) ? Number(text) : 0
  if (size >= 1 && size <= most) return size * mebibyte
  throw new InvalidArgumentError(`It must be a whole number of MiB, from 1 to ${most}.`)
}

// The addresses of the doctor's own pages. docs/rules/README.md links to the same pages, and `dayfly doctor explain` prints them without a network.

/** The page of the doctor itself. */
export const doctorAddress = 'https://dayfly.dev/doctor'

/** Returns the address of a rule's page. */
export function pageAddress(slug: string): string {
  return `${doctorAddress}/rules/${slug}`
}

// Removes credentials from a text.

/** Tokens of GitHub, GitLab, AWS and Slack, private keys, and passwords in URLs. */
const credential =
  /\b(gh[pousr]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|AKIA[A-Z0-9]{16}|xox[abp]-[\w-]{10,})|-----BEGIN [A-Z ]*PRIVATE KEY[\s\S]*|(?<=:\/\/)[^/\s:@]+:[^/\s@$]+(?=@)/g

/** Stands for a credential in the output. */
export const removed = 'CHANGE-ME'

/** Returns the text with `CHANGE-ME` in place of each credential. */
export function cleanText(text: string): string {
  return text.replace(credential, removed)
}

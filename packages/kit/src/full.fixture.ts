/** Is true in `npm run test:full`: tests then run with their full budgets. `npm test` runs the part that shows the same faults in less time. */
export const isFull: boolean = process.env['DAYFLY_FULL'] === '1'

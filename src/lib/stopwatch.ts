// Measured durations as an argument, finer than a clock's milliseconds.

/** Starts to measure. The returned function returns the milliseconds since then, with fractions. */
export type Stopwatch = () => () => number

// Node loads this file before the program. It sets the clock LATE_MS ahead, so that new objects of a test seem old.
const now = Date.now
Date.now = () => now() + Number(process.env.LATE_MS)

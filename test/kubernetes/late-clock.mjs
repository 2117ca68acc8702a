// Loaded before the program: its clock is LATE_MS ahead, so that what a test has just made has long been there.
const now = Date.now
Date.now = () => now() + Number(process.env.LATE_MS)

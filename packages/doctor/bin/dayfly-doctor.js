#!/usr/bin/env node
// npm links this file before the build makes dist/.
import '../dist/dayfly.js'

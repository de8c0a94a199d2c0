#!/usr/bin/env node
import './supported-node.ts';

// Not before that: an older Node.js fails on what all of this imports before it runs any of it.
await import('./cli/program.ts');

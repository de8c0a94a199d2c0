#!/usr/bin/env node
import '@financing-checkout/kit/supported-node';
import './thread-pool.ts';

// Loaded after the check: these modules need `node:sqlite`.
const [{ runProcess }, { reconcileProgram }, { processShell }] = await Promise.all([
  import('@financing-checkout/kit/cli'),
  import('./program.ts'),
  import('./shell.ts'),
]);

await runProcess(reconcileProgram, processShell);

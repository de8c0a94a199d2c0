// A pass over a SQLite file in a process of its own, with a thread that helps, to be killed in the
// middle of it.
import { hash } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { runPass } from '../reconciliation/recompute/engine.ts';
import { defaultPolicy } from '../reconciliation/policy.ts';
import { RecomputeThread } from './recompute-thread.ts';
import { SqliteBulk } from './sqlite-bulk.ts';

const [, , file = '', holder = '', now = '0'] = process.argv;
const bulk = new SqliteBulk(file);
const helper = new RecomputeThread(file);
const { tolerance, slaDays, aliases, contracts } = defaultPolicy;
process.stdout.write('begun\n');
await runPass(
  {
    bulk,
    // Each process comes after the lease of the one before.
    now: () => Number(now),
    hash: (text) => hash('sha256', text),
    stopped: () => false,
    helper: (task) => helper.examine(task),
    pause: (milliseconds) => setTimeout(milliseconds),
    chunkRows: 40,
    surveyFrom: 1,
    rangeRows: 200,
  },
  {
    kind: 'due',
    environment: 'sandbox',
    policy: { tolerance, slaDays, aliases, contracts, now: Date.UTC(2026, 2, 31), complete: true },
    rules: 'one',
    holder,
  },
);
await helper.close();
bulk.close();
process.stdout.write('done\n');

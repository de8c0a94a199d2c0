// `npm run bench:reconciliation-kills [-- --kills 100 --seed 1 --orders 2000]`: kills the
// reconciliation program (SIGKILL) at random moments of imports, syncs, decisions on cases,
// rebuilds and judging, and deletes, truncates or replaces its analytics file in between. At the
// end it must have the same orders, exceptions, lines, cases and facts as an undisturbed run, must
// have lost no fact, and must have no consumer in its files. Exits with 1 if one of these fails.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { compile } from '../scripts/compile.ts';
import { runKills } from '../tests/reconciliation/kills.ts';

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '100' },
    seed: { type: 'string', default: '1' },
    orders: { type: 'string', default: '2000' },
  },
});
const wholeNumber = (name: 'kills' | 'seed' | 'orders') => {
  if (/^\d{1,6}$/.test(values[name])) return Number(values[name]);
  console.error(`--${name} must be a whole number.`);
  return process.exit(2);
};
const [kills, seed, orders] = [wholeNumber('kills'), wholeNumber('seed'), wholeNumber('orders')];

compile();
const folder = mkdtempSync(join(tmpdir(), 'bench-reconciliation-kills-'));
const began = performance.now();
try {
  const say = (line: string) => console.log(line);
  const result = await runKills({ folder, kills, seed, orders, say });
  const { lost, leaks, differences, trail } = result;
  for (const line of [...lost, ...leaks, ...differences]) console.log(line);
  const seconds = Math.round((performance.now() - began) / 1000);
  const found = lost.length + leaks.length + differences.length;
  console.log(
    JSON.stringify({
      bench: 'reconciliation-kills',
      seed,
      orders,
      kills: result.kills,
      damage: result.damage,
      lost: lost.length,
      leaks: leaks.length,
      differences: differences.length,
      trail,
      seconds,
    }),
  );
  if (found > 0 || (trail as { valid?: boolean } | undefined)?.valid !== true) process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { dataDir } from '../../scripts/paths.ts';
import { type History, sandboxMain } from '../../tests/reconciliation/history.ts';

const DAYS = 90;
const DAY_MS = 86_400_000;

/**
 * Returns a history whose last day is yesterday, because a browser session follows the real clock.
 * The first run of a day creates it in .data/bench.
 */
export function historyUntilNow(orders: number): History {
  const now = new Date();
  const from = new Date(now.getTime() - DAYS * DAY_MS).toISOString().slice(0, 10);
  const home = join(dataDir, 'bench', `console-${orders}`);
  const out = join(home, 'seed', 'sandbox');
  const file = join(out, 'summary.json');
  const read = () => JSON.parse(readFileSync(file, 'utf8')) as History['summary'];
  if (!existsSync(file) || read().from !== from) {
    rmSync(home, { recursive: true, force: true });
    mkdirSync(home, { recursive: true });
    execFileSync(process.execPath, [
      ...[sandboxMain, 'seed', '--orders', String(orders), '--from', from, '--days', String(DAYS)],
      ...['--seed', '7', '--replace', '--json', '--data-dir', home],
    ]);
  }
  return {
    dataDir: home,
    ledger: join(out, 'ledger.ndjson'),
    truth: join(out, 'truth.ndjson'),
    // The programs run on the real clock.
    summary: { ...read(), asOf: now.toISOString() },
  };
}

/** Returns the key of the n-th order, in the sandbox's numbering from 1. */
export function orderKey(nth: number): string {
  return `order:S7-${String(nth).padStart(8, '0')}`;
}

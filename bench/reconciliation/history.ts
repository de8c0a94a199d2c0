import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { dataDir } from '../../scripts/paths.ts';
import { type History, sandboxMain, seedHistory } from '../../tests/reconciliation/history.ts';

/** Fundings per order, in a history with the usual mistakes. */
const PER_ORDER = 1.1;

export interface BenchHistory extends History {
  seed: number;
}

/** Returns the merchant's id of the n-th order, in the sandbox's numbering from 1. */
export function orderId({ seed }: BenchHistory, nth: number): string {
  return `S${seed}-${String(nth).padStart(8, '0')}`;
}

/**
 * Returns a history with about `records` fundings, created in .data/bench by the first run.
 * @param faults shares of mistakes: see `financing-sandbox seed --help` @default the usual ones
 */
export function historyOf(records: number, seed: number, faults?: string): BenchHistory {
  const orders = Math.round(records / PER_ORDER);
  const kind = faults === undefined ? 'reconciliation' : 'close';
  const home = join(dataDir, 'bench', `${kind}-${orders}-${seed}`);
  mkdirSync(home, { recursive: true });
  if (!existsSync(join(home, 'seed/sandbox/summary.json'))) {
    const { status, stderr } = spawnSync(
      process.execPath,
      [
        ...[sandboxMain, 'seed', '--orders', String(orders), '--days', '90'],
        ...['--seed', String(seed), '--replace', '--json', '--data-dir', home],
        ...['--faults', faults ?? 'default'],
      ],
      { encoding: 'utf8' },
    );
    if (status !== 0) throw new Error(`The history could not be made: ${stderr}`);
  }
  return { ...seedHistory(home, { orders }), seed };
}

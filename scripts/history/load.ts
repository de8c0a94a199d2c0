import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Stack } from '../stack.ts';
import { ask } from './ask.ts';
import { booksOf, readAs } from './books.ts';
import { workOnCases } from './cases.ts';
import { closeFirstPeriod } from './close.ts';
import { buy, purchases } from './purchases.ts';
import { monthDir, noteStep, readMonth, stepsDone } from './sandbox.ts';

/**
 * Adds the merchant's side of the seeded month to a running stack: additional lender postings,
 * today's orders through the companion, the ledger, a sync, work on cases, and the close of the
 * first period. Each step runs once per data folder, even if a start was interrupted.
 * @returns the number of seconds
 */
export async function loadMonth(stack: Stack): Promise<number> {
  const { dataDir } = stack;
  const month = readMonth(dataDir);
  const folder = monthDir(dataDir);
  const done = stepsDone(dataDir);
  if (!month) throw new Error('this data folder has no seeded month');
  const started = performance.now();
  const once = async (step: string, work: () => Promise<unknown>) => {
    if (done.has(step)) return;
    await work();
    noteStep(dataDir, step);
  };

  const { control, reconciliation, secrets } = stack;
  const books = booksOf(month);
  // Before the clock is released, so that these postings belong to the month.
  await once('lenders', async () => {
    for (const { path, body } of books.lenders) await ask(control + path, { body });
  });
  await once('clock', () =>
    ask(`${control}/clock`, { body: { now: new Date().toISOString(), frozen: false } }),
  );
  for (const [index, purchase] of purchases.entries()) {
    await once(`purchase ${index + 1}`, () => buy(stack, purchase));
  }
  if (!done.has('purchases')) {
    noteStep(dataDir, 'purchases');
    // Until now the companion settled later; after the restart it settles on approval.
    await stack.restart('companion');
  }
  const finance = secrets.annaToken;
  await untilLeader(stack);
  for (const name of ['shopify', 'accounting'] as const) {
    await once(`import ${name}`, async () => {
      writeFileSync(join(folder, `${name}.csv`), books[name]);
      const report = await ask<{ applied: boolean }>(`${reconciliation}/ledger?${readAs[name]}`, {
        token: finance,
        body: books[name],
        headers: { 'content-type': 'text/csv' },
      });
      if (!report.applied) throw new Error(`${name}.csv: ${JSON.stringify(report).slice(0, 300)}`);
    });
  }
  await once('sync', () => sync(stack, month.from));
  await once('cases', () => workOnCases(stack));
  await once('close', () => closeFirstPeriod(stack));
  noteStep(dataDir, 'all');
  return (performance.now() - started) / 1000;
}

async function untilLeader({ reconciliation, secrets }: Stack): Promise<void> {
  const role = async () =>
    (await ask<{ role: string }>(`${reconciliation}/status`, { token: secrets.annaToken })).role;
  while ((await role()) !== 'leader') await pause(50);
}

/** Reads all days until today. */
async function sync({ reconciliation, secrets }: Stack, from: string): Promise<void> {
  const token = secrets.annaToken;
  const body = { from, to: new Date().toISOString().slice(0, 10) };
  const { id } = await ask<{ id: string }>(`${reconciliation}/syncs`, { token, body });
  for (;;) {
    const run = await ask<{ state: string }>(`${reconciliation}/syncs/${id}`, { token });
    if (run.state === 'complete') return;
    if (run.state !== 'running') throw new Error(`the sync ended as ${run.state}`);
    await pause(100);
  }
}

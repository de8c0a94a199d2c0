import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { postgresPlaces } from '../../bench/reconciliation/postgres.ts';
import { foundIn, startCompanion, startService } from './companion.ts';
import { grade } from './grade.ts';
import { policyOf, seedHistory, truthOf } from './history.ts';

/** As a service on the network is: one companion alone is at it for longer than another takes to come. */
const LATENCY = '250ms';

// As they are run: two companions on one PostgreSQL, and the sandbox over HTTPS.
test('companions on one PostgreSQL share a sync of two months, and every planted exception is found', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'reconciliation-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const postgres = await postgresPlaces();
  onTestFinished(() => postgres.stop());
  const place = await postgres.database('shared');
  const history = seedHistory(join(folder, 'sandbox'), { orders: 2_000, days: 60, faults: '30%' });
  const service = await startService(history);
  onTestFinished(() => service.program.stop());
  const policy = policyOf(history);
  const start = async (name: string) => {
    const companion = await startCompanion({
      folder: join(folder, name),
      service,
      history,
      policy,
      place,
    });
    onTestFinished(() => companion.program.stop());
    return companion;
  };
  const one = await start('one');
  const two = await start('two');
  await one.importLedger(history.ledger);
  const slow = await fetch(`${service.controlUrl}/faults`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      kind: 'latency',
      delay: LATENCY,
      operations: ['fundings.report'],
      probability: 1,
    }),
  });
  expect(slow.status).toBe(201);
  const run = await one.sync();
  expect(run).toMatchObject({ state: 'complete', records: history.summary.fundings });
  await expect
    .poll(() => two.program.lines.find((line) => line.includes('fundings-sync-helped')))
    .toBeDefined();
  await one.settled();
  const { precision, recall, wrong, missed } = await grade(truthOf(history), await foundIn(place));
  expect({ wrong, missed }).toEqual({ wrong: [], missed: [] });
  expect({ precision, recall }).toEqual({ precision: 1, recall: 1 });
}, 120_000);

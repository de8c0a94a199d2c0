import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { sqliteFacts, take, temporaryFolder } from '../facts/facts.fixture.ts';
import { backUpFacts, openFacts } from '../facts/open.ts';
import { exception, openCases, TestExceptions } from './cases.fixture.ts';
import { followExceptions } from './follow.ts';
import { operateOnCase } from './operations.ts';
import { alertCases } from './alerts.ts';
import { verifyTrail } from './trail.ts';

test('restores cases, decisions and the trail from a backup', async () => {
  const store = sqliteFacts();
  const all = await openCases(store);
  all.source.exceptions = Array.from({ length: 500 }, (_, index) =>
    exception({ orderKey: `order:${index}` }),
  );
  await all.follow();
  const policy = { amount: { default: 1, currencies: {} }, days: undefined };
  await alertCases({ ...all.ctx, environment: 'sandbox' }, all.source, policy);
  const cases = await all.find();
  for (const { id: caseId } of cases.slice(0, 50)) {
    const operation = { kind: 'ignored', reason: 'small' } as const;
    await operateOnCase(all.ctx, { caseId, operation, by: 'Ines', key: caseId });
  }
  const backup = join(temporaryFolder(), 'backup.db');
  await backUpFacts(store.url, backup);
  const file = join(temporaryFolder(), 'facts.db');
  copyFileSync(backup, file);
  const facts = await openFacts(file);
  onTestFinished(() => facts.close());
  const { anchor, ...verified } = await all.verify();
  expect(verified).toMatchObject({ valid: true, events: 1_050 });
  const again = await verifyTrail({ facts, environment: 'sandbox', anchor });
  expect(again).toEqual({ anchor, ...verified });
  expect(await facts.findCases({ limit: 1_000 })).toEqual(await all.find());
  // A rebuilt mirror finds no difference, so no case changes and no alert is queued.
  const source = new TestExceptions(facts);
  source.exceptions = all.source.exceptions;
  const ctx = { ...all.ctx, facts, fence: await take(facts, 'next') };
  const pass = await followExceptions(ctx, source);
  expect(pass).toEqual({ opened: 0, changed: 0, reopened: 0, closed: 0 });
  expect(await alertCases({ ...ctx, environment: 'sandbox' }, source, policy)).toBe(0);
  expect(await facts.alerts({ limit: 1_000 })).toHaveLength(500);
});

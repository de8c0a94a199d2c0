import { describe, expect, test } from 'vitest';
import { sha256 } from '../platform/digest.ts';
import { databases, fundingDay, NOW, take } from './facts.fixture.ts';
import type { NewSeal } from './period-facts.ts';
import { ContentError } from './content.ts';
import { LeaseLostError } from './store.ts';

const text = (value: string) => new TextEncoder().encode(value);
const seal = (change: Partial<NewSeal> = {}): NewSeal => ({
  period: '2026-10',
  at: NOW,
  body: '{"a":1}',
  previous: '0'.repeat(64),
  hash: 'a'.repeat(64),
  flows: text('flows'),
  days: [],
  ...change,
});

describe.each(databases)('periods on %s', (_, make) => {
  test('keeps a seal with its amounts, and the work on the period until then', async () => {
    const store = await (await make()).open();
    const fence = await take(store);
    const prepared = { by: 'anna', at: NOW, statements: 'b'.repeat(64) };
    await store.writePeriodWork(fence, { id: '2026-10', prepared, accepted: {} });
    expect(await store.periodWork()).toMatchObject([{ id: '2026-10', prepared }]);
    const written = await store.writeSeal(fence, seal(), await store.head());
    expect(written).toMatchObject({ seq: 1, number: 1, period: '2026-10' });
    expect(await store.seals()).toEqual([written]);
    expect(await store.sealsAfter(0, 10)).toEqual([written]);
    expect(Buffer.from(await store.sealFlows(1)).toString()).toBe('flows');
    expect(await store.periodWork()).toEqual([{ id: '2026-10', accepted: {} }]);
  });

  test('writes no seal if there are facts that it does not cover, or the lease is lost', async () => {
    const store = await (await make()).open();
    const fence = await take(store);
    const head = await store.head();
    await store.writeDay(fence, fundingDay('2026-10-31'));
    expect(await store.writeSeal(fence, seal(), head)).toBeUndefined();
    expect([await store.seals(), await store.head()]).toEqual([[], 1]);
    const lost = { ...fence, number: fence.number + 1 };
    await expect(store.writeSeal(lost, seal(), 1)).rejects.toThrow(LeaseLostError);
    expect(await store.writeSeal(fence, seal(), 1)).toMatchObject({ seq: 1, number: 2 });
  });

  test('leaves the period open if the close fails after its first statement', async () => {
    const facts = await make();
    const store = await facts.open();
    const fence = await take(store);
    await store.writePeriodWork(fence, { id: '2026-10', accepted: {} });
    await facts.meddle(`insert into seals (seq, number, period, at, body, previous, hash)
      values (7, 1, '2026-09', 1, '', '', '')`);
    await expect(store.writeSeal(fence, seal(), 0)).rejects.toThrow();
    expect(await store.head()).toBe(0);
    expect(await store.seals()).toHaveLength(1);
    await expect(store.sealFlows(8)).rejects.toThrow();
  });

  test('keeps a content that a seal covers, and no other one', async () => {
    const facts = await make();
    const store = await facts.open();
    const fence = await take(store);
    const write = (content: string) =>
      store.writeDay(fence, fundingDay('2026-10-31'), { content: text(content) });
    await write('first');
    await write('sealed');
    const checksum = sha256(text('sealed'));
    expect(await store.contentChecksums()).toEqual(new Map([['2026-10-31', checksum]]));
    const days = [{ day: '2026-10-31', checksum }];
    await store.writeSeal(fence, seal({ days }), await store.head());
    await write('third');
    await write('fourth');
    const found = await store.sealedContent('2026-10-31', checksum);
    expect(Buffer.from(found ?? []).toString()).toBe('sealed');
    expect(await store.sealedContent('2026-10-31', sha256(text('first')))).toBeUndefined();
    expect(await facts.ask('select count(*) as count from sealed_contents')).toEqual([
      { count: 1 },
    ]);
  });

  test('records a reopening beside the seal, as a fact', async () => {
    const store = await (await make()).open();
    const fence = await take(store);
    await store.writeSeal(fence, seal(), 0);
    const reopened = { by: 'anna; approved by ben', at: NOW, reason: 'the bank differs' };
    expect(await store.reopenSeal(fence, 1, reopened)).toBe(2);
    expect(await store.seals()).toMatchObject([{ seq: 1, number: 2, reopened, body: '{"a":1}' }]);
    const next = seal({ previous: 'a'.repeat(64), hash: 'b'.repeat(64) });
    expect(await store.writeSeal(fence, next, 2)).toMatchObject({ seq: 2, reopened: undefined });
  });

  test('keeps an export of a journal with its files, in the order of their positions', async () => {
    const facts = await make();
    const store = await facts.open();
    const fence = await take(store);
    const journal = { seq: 1, period: '2026-10', format: 'csv', at: NOW, body: '{}', chart: '{}' };
    const contents = { file: Buffer.from('zip'), postings: Buffer.from('parquet') };
    expect(await store.writeJournal(fence, { ...journal, ...contents })).toBe(true);
    // Another process has taken the position.
    expect(await store.writeJournal(fence, { ...journal, ...contents })).toBe(false);
    expect(await store.writeJournal(fence, { ...journal, ...contents, seq: 2 })).toBe(true);
    expect((await store.journals()).map(({ seq }) => seq)).toEqual([2, 1]);
    expect(Buffer.from(await store.journalContent(1, 'file')).toString()).toBe('zip');
    await facts.meddle(`update journal_contents set checksum = 'x' where part = 'postings'`);
    await expect(store.journalContent(1, 'postings')).rejects.toThrow(ContentError);
    const lost = { ...fence, number: fence.number + 1 };
    await expect(store.writeJournal(lost, { ...journal, ...contents, seq: 3 })).rejects.toThrow(
      LeaseLostError,
    );
  });

  test('refuses amounts that are not those that were written', async () => {
    const facts = await make();
    const store = await facts.open();
    await store.writeSeal(await take(store), seal(), 0);
    await facts.meddle(`update seal_flows set checksum = 'x'`);
    await expect(store.sealFlows(1)).rejects.toThrow('A stored content is corrupt.');
  });
});

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { randomBytes } from 'node:crypto';
import { createInterface } from 'node:readline';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  contentOf,
  databases,
  fundingDay,
  MINUTE_MS,
  NOW,
  syncRun,
  take,
} from './facts.fixture.ts';
import { ContentError } from './content.ts';
import { readStoreId } from './open.ts';
import { removeOldContents } from './retention.ts';
import { type FactStore, LeaseLostError, type LedgerImportFact, withdrawalIdOf } from './store.ts';

const DAY_MS = 86_400_000;
const bytes = (...values: number[]) => Uint8Array.from(values);
const dayOf = (index: number) => new Date(index * DAY_MS).toISOString().slice(0, 10);

describe.each(databases)('facts on %s', (_, make) => {
  async function setUp() {
    const store = await make();
    const facts = await store.open();
    return { ...store, facts, fence: await take(facts) };
  }

  async function startWriter(url: string, holder: string) {
    const child = spawn(process.execPath, [
      new URL('writer.fixture.ts', import.meta.url).pathname,
      url,
      holder,
    ]);
    onTestFinished(() => void child.kill('SIGKILL'));
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const next = async (): Promise<string | undefined> => (await lines.next()).value;
    expect(await next()).toBe('ready');
    return { child, next };
  }

  test('returns the id of a store without opening the store for use', async () => {
    const { facts, url } = await setUp();
    expect(await readStoreId(url)).toBe(facts.id);
  });

  test('keeps the fields of a day, and its content when only the state changes', async () => {
    const { facts, fence } = await setUp();
    const day = fundingDay('2026-11-18', { reason: 'page 3 of 4 failed', provenAt: undefined });
    expect(await facts.days()).toEqual([]);
    expect(await facts.content(day.day)).toBeUndefined();
    expect(await facts.writeDay(fence, day, { content: bytes(1, 2, 255, 0) })).toBe(1);
    expect(await facts.days()).toEqual([{ ...day, number: 1 }]);
    const stale = fundingDay('2026-11-18', { state: 'stale' });
    expect(await facts.writeDay(fence, stale)).toBe(2);
    expect(await facts.days()).toEqual([{ ...stale, number: 2 }]);
    expect(Uint8Array.from((await facts.content(day.day)) ?? [])).toEqual(bytes(1, 2, 255, 0));
  });

  test('finds days by time and by the number of their last change', async () => {
    const { facts, fence } = await setUp();
    for (const day of ['2026-11-18', '2026-11-16', '2026-11-17', '2026-11-16']) {
      await facts.writeDay(fence, fundingDay(day));
    }
    const names = (found: { day: string; number: number }[]) =>
      found.map(({ day, number }) => `${number} ${day}`);
    const all = ['4 2026-11-16', '3 2026-11-17', '1 2026-11-18'];
    expect(names(await facts.days())).toEqual(all);
    expect(names(await facts.days('2026-11-17'))).toEqual(all.slice(1));
    expect(names(await facts.days('2026-11-16', '2026-11-17'))).toEqual(all.slice(0, 2));
    expect(names(await facts.daysAfter(0, 2))).toEqual(['1 2026-11-18', '3 2026-11-17']);
    expect(names(await facts.daysAfter(3, 10))).toEqual(['4 2026-11-16']);
    expect(await facts.daysAfter(4, 10)).toEqual([]);
  });

  test('keeps removed records of replaced content until the retention period ends', async () => {
    const { facts, fence } = await setUp();
    const write = (provenAt: number, superseded?: Uint8Array) =>
      facts.writeDay(fence, fundingDay('2026-11-18', { provenAt }), {
        content: bytes(provenAt % 7),
        ...(superseded && {
          superseded: { count: 1, digest: 'b'.repeat(32), content: superseded },
        }),
      });
    await write(NOW);
    await write(NOW + DAY_MS, bytes(1));
    await write(NOW + 2 * DAY_MS, bytes(2));
    const found = await facts.superseded('2026-11-18');
    expect(found.map(({ content, ...row }) => ({ ...row, content: [...content] }))).toEqual([
      {
        day: '2026-11-18',
        number: 2,
        replacedAt: NOW + DAY_MS,
        count: 1,
        digest: 'b'.repeat(32),
        content: [1],
      },
      {
        day: '2026-11-18',
        number: 3,
        replacedAt: NOW + 2 * DAY_MS,
        count: 1,
        digest: 'b'.repeat(32),
        content: [2],
      },
    ]);
    expect(await facts.superseded('2026-11-17')).toEqual([]);
    expect(await removeOldContents(facts, fence, NOW + 401 * DAY_MS)).toBe(0);
    expect(await removeOldContents(facts, fence, NOW + 401 * DAY_MS + 1)).toBe(1);
    expect((await facts.superseded('2026-11-18')).map(({ number }) => number)).toEqual([3]);
    expect(await removeOldContents(facts, fence, NOW + 10 * DAY_MS, 7)).toBe(1);
    expect(await facts.content('2026-11-18')).toBeDefined();
    expect(await facts.head()).toBe(3);
  });

  test('stores large content byte for byte', async () => {
    const { facts, fence } = await setUp();
    const content = randomBytes(8 * 1_048_576);
    await facts.writeDay(fence, fundingDay('2026-11-18'), { content });
    const found = await facts.content('2026-11-18');
    expect(found !== undefined && content.equals(found)).toBe(true);
  });

  test('writes a sync run with a day or alone, and finds it by age', async () => {
    const { facts, fence } = await setUp();
    const runs = [0, 1, 2].map((index) =>
      syncRun({ id: `sync-${index}`, startedAt: NOW + Math.min(index, 1) }),
    );
    for (const run of runs) await facts.writeSync(fence, run);
    const ended = syncRun({
      id: 'sync-1',
      state: 'partial',
      reason: '1 day unproven',
      startedAt: NOW + 1,
      endedAt: NOW + 9,
      tiers: false,
      resumed: 2,
      daysDone: 18,
      daysUnproven: 1,
      records: 900,
      changed: 9,
      gone: 1,
      quarantined: 3,
    });
    expect(await facts.writeDay(fence, fundingDay('2026-11-18'), undefined, ended)).toBe(1);
    expect(await facts.sync('sync-1')).toEqual(ended);
    expect(await facts.sync('none')).toBeUndefined();
    expect(await facts.syncs(2)).toEqual([runs[2], ended]);
    expect(await facts.syncs(2, 'sync-1')).toEqual([runs[0]]);
    expect(await facts.head()).toBe(1);
  });

  test('writes an import with its content', async () => {
    const { facts, fence } = await setUp();
    const added: Omit<LedgerImportFact, 'number'> = {
      id: 'imp-1',
      action: 'add',
      source: 'import',
      actor: 'finance',
      digest: 'd'.repeat(64),
      count: 3,
      at: NOW,
    };
    const withdrawn = { ...added, id: 'imp-2', action: 'withdraw' as const, actor: undefined };
    expect(await facts.writeImports(fence, [{ fact: added, content: bytes(1, 2) }])).toBe(1);
    expect(await facts.writeImports(fence, [{ fact: withdrawn, content: bytes(3) }])).toBe(2);
    expect(await facts.importsAfter(0, 9)).toEqual([
      { ...added, number: 1 },
      { ...withdrawn, number: 2 },
    ]);
    expect(await facts.importsAfter(1, 9)).toMatchObject([{ id: 'imp-2' }]);
    expect([...(await facts.importContent('imp-1'))]).toEqual([1, 2]);
    await expect(facts.writeImports(fence, [{ fact: added, content: bytes(9) }])).rejects.toThrow();
    expect(await facts.head()).toBe(2);
  });

  test('lists imports with their withdrawals, newest first', async () => {
    const { facts, fence } = await setUp();
    const fact = { action: 'add', source: 'import', actor: undefined, count: 1, at: NOW } as const;
    const add = { ...fact, content: bytes(1) };
    const imports = [
      { ...add, id: 'imp-1', digest: 'one' },
      { ...add, id: 'imp-2', digest: 'two' },
      { ...add, id: 'imp-3', digest: 'three' },
      { ...add, id: 'imp-4', action: 'withdraw' as const, digest: 'two' },
      { ...add, id: withdrawalIdOf('imp-3'), action: 'withdraw' as const, digest: 'other' },
    ];
    await facts.writeImports(
      fence,
      imports.map(({ content, ...one }) => ({ fact: one, content })),
    );
    const listed = async (limit: number, before?: number) =>
      (await facts.imports(limit, before)).map(({ id, isWithdrawn }) => [id, isWithdrawn]);
    expect(await listed(9)).toEqual([
      [withdrawalIdOf('imp-3'), false],
      ['imp-4', false],
      ['imp-3', true],
      ['imp-2', true],
      ['imp-1', false],
    ]);
    expect(await listed(1, 2)).toEqual([['imp-1', false]]);
    expect(await facts.importOf('imp-3')).toMatchObject({ number: 3, isWithdrawn: true });
    expect(await facts.importOf('imp-9')).toBeUndefined();
  });

  test('finds imports of a source by an overlapping period', async () => {
    const { facts, fence } = await setUp();
    const fact = {
      action: 'add',
      source: 'import',
      actor: undefined,
      digest: 'd',
      count: 1,
      at: NOW,
    } as const;
    const origin = { source: 'erp', isStated: true, columns: 'c', from: 100, to: 199 };
    await facts.writeImports(fence, [
      { fact: { ...fact, id: 'imp-1', origin }, content: bytes(1) },
      { fact: { ...fact, id: 'imp-2' }, content: bytes(2) },
    ]);
    expect(await facts.importsInPeriod(199, 300)).toEqual([{ id: 'imp-1', origin }]);
    expect(await facts.importsInPeriod(200, 300)).toEqual([]);
    expect(await facts.importsAfter(0, 1)).toMatchObject([{ id: 'imp-1', origin }]);
  });

  test('writes an import and the withdrawal of replaced lines atomically', async () => {
    const { facts, fence } = await setUp();
    const fact = {
      id: 'imp-2',
      action: 'add',
      source: 'import',
      actor: 'finance',
      digest: 'd'.repeat(64),
      count: 1,
      at: NOW,
    } as const;
    const replaced = (id: string) => ({
      fact: { ...fact, id, action: 'withdraw' as const },
      content: bytes(1),
    });
    expect(await facts.writeImports(fence, [replaced('imp-1'), { fact, content: bytes(2) }])).toBe(
      2,
    );
    expect(await facts.importsAfter(0, 9)).toMatchObject([
      { id: 'imp-1', number: 1, action: 'withdraw' },
      { id: 'imp-2', number: 2, action: 'add' },
    ]);
    await expect(
      facts.writeImports(fence, [replaced('imp-3'), { fact, content: bytes(9) }]),
    ).rejects.toThrow();
    expect(await facts.importsAfter(2, 9)).toEqual([]);
  });

  test('grants the lease to one process until it expires, or is released or no longer renewed', async () => {
    const { facts, open, fence } = await setUp();
    const other = await open();
    const takeOver = (now: number) =>
      other.takeLease('two', 'http://127.0.0.1:4002', now, now + MINUTE_MS);
    expect(await facts.leaseHolder()).toEqual({
      holder: 'one',
      address: undefined,
      until: NOW + MINUTE_MS,
    });
    expect(await takeOver(NOW + MINUTE_MS - 1)).toBeUndefined();
    expect(await facts.renewLease(fence, NOW + 2 * MINUTE_MS)).toBe(true);
    expect(await takeOver(NOW + MINUTE_MS)).toBeUndefined();
    const second = await takeOver(NOW + 2 * MINUTE_MS);
    expect(second).toEqual({ holder: 'two', number: fence.number + 1 });
    expect(await facts.renewLease(fence, NOW + 9 * MINUTE_MS)).toBe(false);
    await facts.releaseLease(fence);
    expect(await facts.leaseHolder()).toMatchObject({ address: 'http://127.0.0.1:4002' });
    if (second) await other.releaseLease(second);
    expect(await facts.leaseHolder()).toBeUndefined();
    expect(await take(facts, 'one')).toEqual({ holder: 'one', number: fence.number + 2 });
  });

  test('grants the lease to one of several concurrent processes', async () => {
    const store = await make();
    const all = await Promise.all([store.open(), store.open(), store.open()]);
    const fences = await Promise.all(
      all.map((facts, index) => facts.takeLease(`h${index}`, undefined, NOW, NOW + MINUTE_MS)),
    );
    expect(fences.filter((fence) => fence !== undefined)).toHaveLength(1);
    expect(new Set(all.map(({ id }) => id)).size).toBe(1);
  });

  test('rejects all writes of a process whose lease was taken or released', async () => {
    const { facts, open, fence } = await setUp();
    await facts.writeDay(fence, fundingDay('2026-11-17'), { content: bytes(1) });
    const other = await open();
    const second = await take(other, 'two', NOW + MINUTE_MS);
    const writes = (of: FactStore) => [
      of.writeDay(fence, fundingDay('2026-11-18'), { content: bytes(1) }, syncRun()),
      of.writeSync(fence, syncRun()),
      of.writeImports(fence, [
        {
          fact: {
            id: 'i',
            action: 'add',
            source: 'api',
            actor: undefined,
            digest: '',
            count: 1,
            at: NOW,
          },
          content: bytes(1),
        },
      ]),
      of.removeSuperseded(fence, Number.MAX_SAFE_INTEGER),
      of.changeCases(fence, () => Promise.resolve()),
      of.finishAlert(fence, { id: 'msg', tries: 1 }, { kind: 'delivered' }, NOW),
      of.replayAlert(fence, 'msg', NOW),
    ];
    const refused = async (of: FactStore) => {
      for (const result of await Promise.allSettled(writes(of))) {
        expect(result.status === 'rejected' && result.reason).toBeInstanceOf(LeaseLostError);
      }
    };
    await refused(facts);
    await other.writeDay(second, fundingDay('2026-11-18'));
    await other.releaseLease(second);
    await refused(facts);
    expect(await facts.head()).toBe(2);
    expect(await facts.syncs(9)).toEqual([]);
  });

  test('rejects writes of a process that was paused while another took over', async () => {
    const store = await make();
    const facts = await store.open();
    const { child, next } = await startWriter(store.url, 'paused');
    child.stdin.write('one\n');
    expect(await next()).toBe('1');
    child.kill('SIGSTOP');
    child.stdin.write('another\n');
    const fence = await take(facts, 'two', Date.now() + MINUTE_MS);
    expect(await facts.writeDay(fence, fundingDay('2026-11-18'))).toBe(2);
    child.kill('SIGCONT');
    expect(await next()).toBe('LeaseLostError');
    expect(await facts.head()).toBe(2);
    expect(await facts.days()).toHaveLength(2);
  });

  test('shows readers the numbers of facts in order and without gaps', async () => {
    const { facts, fence, open } = await setUp();
    const reader = await open();
    const write = async (first: number) => {
      for (let index = first; index < 120; index += 12) {
        await facts.writeDay(fence, fundingDay(dayOf(index)), { content: bytes(index) });
      }
    };
    const writing = Promise.all(Array.from({ length: 12 }, (_unused, first) => write(first)));
    let seen = 0;
    let looks = 0;
    while (seen < 120) {
      const head = await reader.head();
      const found = await reader.daysAfter(seen, 1_000);
      expect(found.map(({ number }) => number)).toEqual(found.map((_day, at) => seen + at + 1));
      seen += found.length;
      expect(seen).toBeGreaterThanOrEqual(head);
      looks += 1;
    }
    await writing;
    expect(seen).toBe(120);
    expect(looks).toBeGreaterThan(1);
  });

  test('loses no fact and keeps no partial fact when the process is killed during writes', async () => {
    const store = await make();
    const facts = await store.open();
    const { child, next } = await startWriter(store.url, 'writer');
    child.stdin.write('on\n');
    let last = 0;
    for (let count = 0; count < 12; count++) last = Number(await next());
    child.kill('SIGKILL');
    await once(child, 'exit');
    for (let line = await next(); line !== undefined; line = await next()) last = Number(line);
    expect(last).toBeGreaterThanOrEqual(12);
    const holder = await facts.leaseHolder();
    await take(facts, 'next', holder?.until);
    const head = await facts.head();
    expect(head).toBeGreaterThanOrEqual(last);
    const days = await facts.daysAfter(0, 10_000);
    expect(days.map(({ number }) => number)).toEqual(days.map((_day, at) => at + 1));
    expect(days).toHaveLength(head);
    for (const { day, number } of days) {
      const content = (await facts.content(day)) ?? bytes();
      expect(Buffer.from(content).toString()).toBe(contentOf(number - 1));
    }
  });

  test('rejects a store that a newer program version has migrated', async () => {
    const { open, meddle } = await setUp();
    await meddle(`insert into kysely_migration values ('0999-later', '2027-01-01')`);
    await expect(open()).rejects.toThrow('0999-later');
  });

  test('sorts texts by code unit', async () => {
    const { facts, fence } = await setUp();
    for (const id of ['b', 'B', 'a', 'Z']) await facts.writeSync(fence, syncRun({ id }));
    expect((await facts.syncs(9)).map(({ id }) => id)).toEqual(['b', 'a', 'Z', 'B']);
  });

  test('refuses altered content', async () => {
    const { facts, fence, meddle } = await setUp();
    await facts.writeDay(fence, fundingDay('2026-11-18'), { content: bytes(1, 2) });
    await meddle(`update day_contents set content = substr(content, 1, 1)`);
    await expect(facts.content('2026-11-18')).rejects.toThrow(ContentError);
  });
});

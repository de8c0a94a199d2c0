import { describe, expect, test, vi } from 'vitest';
import { bookPlaces } from './books.fixture.ts';
import { HeldLease } from './lease.ts';

const MS = 9_000;

describe.each(bookPlaces)('on %s', (_, openPlace) => {
  test('a lease is held while somebody works under it, though not each renewal succeeds', async () => {
    const { another, ...open } = await openPlace();
    const other = another();
    let renewals = 0;
    const books: typeof open.books = {
      ...open.books,
      renewLease: (fence, until) =>
        ++renewals % 2 === 0
          ? Promise.reject(new Error('The database is away.'))
          : open.books.renewLease(fence, until),
    };
    let now = 1_000;
    let due: { at: number; work: () => void } | undefined;
    const clock = {
      now: () => now,
      after(ms: number, work: () => void) {
        due = { at: now + ms, work };
        return () => (due = undefined);
      },
    };
    const pass = async (ms: number) => {
      now += ms;
      if (!due || due.at > now) return;
      const { work } = due;
      due = undefined;
      work();
      await vi.waitFor(() => expect(due).toBeDefined());
    };
    const lease = await HeldLease.take(books, { lease: 'fundings', holder: 'one' }, clock, MS);
    const two = { lease: 'fundings', holder: 'two' };
    for (let seconds = 0; seconds < 40; seconds++) {
      await pass(1_000);
      expect(await other.takeLease(two, now, now + MS)).toBe(false);
    }
    expect(renewals).toBeGreaterThan(8);
    lease?.check();
    await lease?.release();
    expect(due).toBeUndefined();
    expect(await other.takeLease(two, now, now + MS)).toBe(true);
  });
});

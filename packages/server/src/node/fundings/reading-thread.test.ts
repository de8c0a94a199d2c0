import { inspect } from 'node:util';
import { MessageChannel } from 'node:worker_threads';
import { expect, onTestFinished, test } from 'vitest';
import { historyService, wireHistory } from '../../fundings/history.fixture.ts';
import { defaultSyncSettings } from '../../fundings/settings.ts';
import {
  createWindows,
  type PageAnswer,
  type ReadWindow,
  WindowError,
} from '../../fundings/window.ts';
import { answerTo } from '../asking.ts';
import { digest } from './digest.ts';
import type { PageQuestion } from './messages.ts';
import { openWindows } from './reading-thread.ts';

const day = '2026-03-02';
const settings = { ...defaultSyncSettings, pageSize: 10, overlap: 3 };

/** A thread that reads, and the main thread that answers it. */
function reading(answer: (query: PageQuestion) => Promise<PageAnswer>) {
  const { port1, port2 } = new MessageChannel();
  answerTo(port1, answer);
  const windows = openWindows({ settings, personalKey: undefined, pages: port2 });
  onTestFinished(async () => {
    port1.close();
    await windows.close();
  });
  return windows;
}

/** What is more than a byte a letter, is not there, or is no text that a database holds. */
const odds: Record<string, unknown>[] = [
  { lenderName: 'Zażółć & 🏦' },
  { promoCode: 'two\nlines, half a \ud83d' },
  { merchantOrderId: undefined, lenderReferenceId: '' },
  { merchantOrderId: 'A\u00001' },
  { fundedAt: 'yesterday' },
];

/** A window with its records as they are to whoever reads them. */
function read({ days, ...window }: ReadWindow) {
  const records = Array.from(days.values(), (records) => [...records]).flat();
  return {
    ...window,
    days: [...days.keys()],
    records: records.map(({ day, identity, merchantOrderId, hash, raw, unreadable }) => {
      return { day, identity, merchantOrderId, hash, raw, unreadable };
    }),
  };
}

test('a window comes out of the thread as it would have been read here', async () => {
  const { fetchPage, records } = historyService(wireHistory(80, '2026-03-01', 3));
  const ofDay = records.filter(({ fundedAt }) => fundedAt.startsWith(day));
  for (const odd of odds) Object.assign(ofDay.pop() ?? {}, odd);
  const windows = reading(fetchPage);
  const window = await windows.read(day);
  expect(window.days.get(day)?.length).toBeGreaterThan(10);
  expect(read(window).records.filter(({ unreadable }) => unreadable !== undefined)).toHaveLength(2);
  const here = await createWindows({ fetchPage, digest, settings }).read(day);
  expect(read(window)).toEqual(read(here));
  expect(await windows.isAsBefore(window)).toBe(true);
  const other = window.proof.map((page) => ({ ...page, digest: 'another' }));
  expect(await windows.isAsBefore({ day, proof: other })).toBe(false);
});

test('a window that cannot be read is told from an error, and that holds nothing of the data', async () => {
  const refused = reading(() => Promise.resolve({ kind: 'failed', reason: 'timeout' }));
  const error = await refused.read(day).catch((error: unknown) => error);
  expect(error).toBeInstanceOf(WindowError);
  expect(error).toMatchObject({ state: 'failed', reason: 'timeout' });

  // A number in place of bytes: Node's error quotes it.
  const broken = { kind: 'page', bytes: 4_930_123_456 };
  const failed = await reading(() => Promise.resolve(broken as never))
    .read(day)
    .catch((error: unknown) => error);
  expect(failed).toBeInstanceOf(Error);
  expect(failed).not.toBeInstanceOf(WindowError);
  expect(inspect(failed)).not.toContain('4930123456');
});

test('who waits for a thread that ends hears of it, and so does who asks later', async () => {
  const windows = reading(() => new Promise(() => undefined));
  const waiting = windows.read(day);
  waiting.catch(() => undefined);
  await windows.close();
  await expect(waiting).rejects.toThrow('"fundings-reading" has ended');
  await expect(windows.read(day)).rejects.toThrow('"fundings-reading" has ended');
});

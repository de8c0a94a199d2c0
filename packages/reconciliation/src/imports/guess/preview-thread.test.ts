import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../facts/facts.fixture.ts';
import type { Clock } from '@financing-checkout/kit';
import { unhurried } from '../../program.fixture.ts';
import { ProblemError } from '../../platform/problem.ts';
import { ThreadBusyError } from '../../platform/thread.ts';
import { LedgerImportError } from '../import-error.ts';
import { PreviewThread } from './preview-thread.ts';
import { row, text, workbookEntries, zipOf } from '../read/workbook/workbook.fixture.ts';

const bytes = new TextEncoder().encode('Order No,Total\nA-1,12.50\n');

function open(clock = unhurried): PreviewThread {
  const thread = new PreviewThread(clock);
  onTestFinished(() => thread.close());
  return thread;
}

test('previews in a thread, with the preset that the user selected', async () => {
  const preset = JSON.stringify({ map: { order: 'Order No', amount: 'Total' } });
  expect(await open().preview(bytes, { preset })).toMatchObject({
    columns: ['Order No', 'Total'],
    proposal: { map: { order: 'Order No', amount: 'Total' } },
  });
});

test('explains why a file cannot be read, like the import does', async () => {
  const text = new TextEncoder().encode('a,"b\n');
  await expect(open().preview(text, {})).rejects.toThrow(LedgerImportError);
});

test('refuses previews when the queue is full, and answers the others', async () => {
  const thread = open();
  const all = await Promise.allSettled(Array.from({ length: 12 }, () => thread.preview(bytes, {})));
  expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(9);
  const refused = all.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []));
  expect(refused).toHaveLength(3);
  for (const error of refused) {
    expect(error).toBeInstanceOf(ProblemError);
    expect(error).toMatchObject({ code: 'overloaded', extras: { retryAfterSeconds: 1 } });
  }
});

/** A clock on which every timeout expires immediately. */
const hasty: Clock = {
  now: () => 0,
  after(_, callback) {
    queueMicrotask(callback);
    return () => undefined;
  },
};

test('refuses a preview that takes too long', async () => {
  await expect(open(hasty).preview(bytes, {})).rejects.toMatchObject({
    code: 'overloaded',
    extras: { retrySafe: true },
  });
});

test('gives advice for a workbook that takes too long', async () => {
  const path = join(temporaryFolder(), 'large.xlsx');
  writeFileSync(path, zipOf(workbookEntries({ Lines: row(1, text('Order No')) })));
  const preview = (clock?: Clock) => open(clock).previewWorkbook(path, {});
  expect(await preview()).toMatchObject({
    columns: ['Order No'],
    proposal: { sheet: 'Lines' },
  });
  await expect(preview(hasty)).rejects.toThrow(/^The workbook has more content.*CSV UTF-8/);
});

test('refuses workbooks when too many wait, and takes the next one', async () => {
  const path = join(temporaryFolder(), 'lines.xlsx');
  writeFileSync(path, zipOf(workbookEntries({ Lines: row(1, text('Order No')) })));
  const thread = open(hasty);
  const previews = Array.from({ length: 12 }, () => thread.previewWorkbook(path, {}));
  const all = await Promise.allSettled(previews);
  const reasons = all.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []));
  expect(reasons.filter((error) => error instanceof ThreadBusyError)).toHaveLength(3);
  expect(reasons.filter((error) => error instanceof LedgerImportError)).toHaveLength(9);
  expect(await open().previewWorkbook(path, {})).toMatchObject({ columns: ['Order No'] });
});

test('ends with its client', async () => {
  const client = new AbortController();
  const preview = open().preview(bytes, {}, client.signal);
  client.abort(new Error('The client left.'));
  await expect(preview).rejects.toThrow('The client left.');
});

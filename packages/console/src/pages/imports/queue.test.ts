import { beforeEach, expect, test, vi } from 'vitest';
import { shownImports } from '../../parts/running-imports.ts';
import { Draft } from './draft.ts';
import { DraftQueue } from './queue.ts';

const csv = (name: string) => new File(['order,amount\nA-1,5.00\n'], name, { type: 'text/csv' });
const preview = {
  ...{ format: 'csv', columns: ['order'], rows: [], readings: [{ asks: [] }] },
  ...{ proposal: { delimiter: ',', encoding: 'utf-8' }, questions: [], known: [] },
};

beforeEach(() => {
  vi.stubGlobal('fetch', () => Promise.resolve(Response.json(preview)));
});

test('opens two files at once as two drafts, and shows the first', async () => {
  const queue = new DraftQueue();
  await queue.add([csv('a.csv'), csv('b.csv')]);
  expect(queue.drafts.map(({ name }) => name)).toEqual(['a.csv', 'b.csv']);
  expect(queue.shown.name).toBe('a.csv');
  expect(queue.next?.name).toBe('b.csv');
});

test('imports in a row: the second begins when the first has ended, even if that fails', async () => {
  const queue = new DraftQueue();
  await queue.add([csv('a.csv'), csv('b.csv')]);
  const order: string[] = [];
  const first = Promise.withResolvers<undefined>();
  vi.spyOn(Draft.prototype, 'import').mockImplementation(async function (this: Draft) {
    order.push(`${this.name} begins`);
    if (this.name === 'a.csv') {
      await first.promise;
      this.isFailed = true;
    }
    order.push(`${this.name} ends`);
  });
  const [a, b] = queue.drafts;
  if (a === undefined || b === undefined) throw new Error('Two drafts are missing.');
  const all = [queue.import(a), queue.import(b)];
  await expect.poll(() => order).toEqual(['a.csv begins']);
  expect(shownImports()).toEqual([{ file: 'b.csv', state: 'waiting' }]);
  first.resolve(undefined);
  await Promise.all(all);
  expect(order).toEqual(['a.csv begins', 'a.csv ends', 'b.csv begins', 'b.csv ends']);
  expect(queue.drafts.map(({ name }) => name)).toEqual(['a.csv', 'b.csv']);
});

test('shows the second file if the first cannot be imported', async () => {
  const queue = new DraftQueue();
  await queue.add([new File([], 'empty.csv'), csv('b.csv')]);
  expect(queue.drafts.map(({ name, problem }) => [name, problem])).toEqual([
    ['empty.csv', 'empty'],
    ['b.csv', undefined],
  ]);
  expect(queue.shown.name).toBe('b.csv');
});

test('shows the outcome in the header until the page has shown it', async () => {
  const queue = new DraftQueue();
  await queue.add([csv('a.csv')]);
  queue.shown.isFailed = true;
  queue.shown.onChange();
  expect(shownImports()).toEqual([{ file: 'a.csv', state: 'failed' }]);
  queue.see();
  expect(shownImports()).toEqual([]);
});

test('forgets a file and shows the next one', async () => {
  const queue = new DraftQueue();
  await queue.add([csv('a.csv'), csv('b.csv')]);
  queue.remove(queue.shown);
  expect(queue.drafts.map(({ name }) => name)).toEqual(['b.csv']);
  expect(queue.shown.name).toBe('b.csv');
});

import { expect, it, vi } from 'vitest';
import { bringForward, keepQueue, placeBefore, placeOf } from './queue.ts';

const { signal } = new AbortController();

it('knows no place for a case that is not in the queue', async () => {
  expect(await placeOf('case_1', signal)).toBeUndefined();
  keepQueue({ search: '?sort=age', ids: ['case_2'] });
  expect(await placeOf('case_1', signal)).toBeUndefined();
});

it('loads more of the queue after its last loaded case, with its filters and order', async () => {
  const asked = vi.fn((address: string) => {
    void address;
    return Promise.resolve(Response.json({ cases: [{ id: 'case_2' }, { id: 'case_3' }] }));
  });
  vi.stubGlobal('fetch', asked);
  keepQueue({ search: '?state=all&sort=age', ids: ['case_1', 'case_2'], next: 'more' });
  expect(await placeOf('case_1', signal)).toMatchObject({ next: 'case_2', hasMore: true });
  expect(asked).not.toHaveBeenCalled();
  expect(await placeOf('case_2', signal)).toMatchObject({
    position: 2,
    count: 3,
    hasMore: false,
    previous: 'case_1',
    next: 'case_3',
  });
  expect(asked.mock.calls.map(([address]) => address)).toEqual(['/cases?sort=age&after=more']);
  expect(await placeOf('case_3', signal)).toMatchObject({ next: undefined });
  expect(asked).toHaveBeenCalledOnce();
});

it('resumes its own order after the other cases of an order', async () => {
  keepQueue({ search: '', ids: ['case_1', 'case_2', 'case_3', 'case_4'] });
  bringForward('case_1', ['case_4', 'case_9']);
  const place = await placeOf('case_9', signal);
  expect(place).toMatchObject({ position: 3, previous: 'case_4', next: 'case_2' });
  // In the list, another case follows the one that was brought forward.
  expect(placeBefore(place, 'case_7')?.next).toBe('case_2');
  expect(placeBefore(await placeOf('case_2', signal), 'case_7')?.next).toBe('case_7');
  bringForward('case_unknown', ['case_3']);
  expect(await placeOf('case_3', signal)).toMatchObject({ previous: 'case_7' });
});

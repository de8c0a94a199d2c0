import { describe, expect, it } from 'vitest';
import { ApiError } from '../../api/client.ts';
import { bodyOf, CaseDraft, type CaseRequest } from './action.ts';
import { keepJob, keptJob, newJob, retryFailed, runJob } from './bulk.ts';

const many = Array.from({ length: 11 }, (_, index) => ({
  id: `case_${index}`,
  name: `${index}`,
  revision: index + 1,
}));
const resolve = { verb: 'resolve', text: 'Booked.' } as const;
const nothing = () => undefined;

class MemoryStorage extends Map<string, string> {
  getItem = (name: string) => this.get(name) ?? null;
  setItem = (name: string, value: string) => void this.set(name, value);
  removeItem = (name: string) => void this.delete(name);
}
const storage = () => new MemoryStorage() as unknown as Storage;

describe('a bulk action', () => {
  it('sends one request per case with its own key, at most four at a time', async () => {
    const sent: [string, string][] = [];
    let running = 0;
    let most = 0;
    const job = newJob('anna', resolve, many);
    const isComplete = await runJob(job, nothing, {
      perform: async ({ id, key }) => {
        sent.push([id, key]);
        most = Math.max(most, ++running);
        await Promise.resolve();
        running -= 1;
        return {} as never;
      },
    });
    expect(isComplete).toBe(true);
    expect(most).toBe(4);
    expect(sent.map(([id]) => id).sort()).toEqual(many.map(({ id }) => id).sort());
    expect(new Set(sent.map(([, key]) => key)).size).toBe(many.length);
  });

  it('retries only failed items, with the same keys', async () => {
    const sent: string[] = [];
    let isBroken = true;
    const job = newJob('anna', resolve, many);
    const perform = ({ id, key }: CaseRequest) => {
      sent.push(`${id} ${key}`);
      return isBroken && id === 'case_3'
        ? Promise.reject(new ApiError(409, 'case-not-permitted', { detail: 'The case is closed.' }))
        : Promise.resolve({} as never);
    };
    await runJob(job, nothing, { perform });
    expect(job.items[3]).toMatchObject({ state: 'failed', problem: 'The case is closed.' });
    isBroken = false;
    retryFailed(job);
    await runJob(job, nothing, { perform });
    expect(job.items.every(({ state }) => state === 'done')).toBe(true);
    expect(sent).toHaveLength(many.length + 1);
    expect(sent.at(-1)).toBe(sent[3]);
  });

  it.each([
    ['the connection is lost', new ApiError(0, 'offline')],
    ['the session ends', new ApiError(401, 'session-ended')],
  ])('waits if %s, and continues later', async (_title, error) => {
    const job = newJob('anna', resolve, many);
    let count = 0;
    const perform = () => (++count > 5 ? Promise.reject(error) : Promise.resolve({} as never));
    expect(await runJob(job, nothing, { perform })).toBe(false);
    expect(job.items.filter(({ state }) => state === 'done')).toHaveLength(5);
    expect(job.items.some(({ state }) => state === 'failed')).toBe(false);
    count = -100;
    expect(await runJob(job, nothing, { perform })).toBe(true);
    expect(count).toBe(-94);
  });

  it('survives a reload, but only for the same user', () => {
    const store = storage();
    const job = newJob('anna', resolve, many);
    keepJob(job, store);
    expect(keptJob('anna', store)).toEqual(job);
    expect(keptJob('ben', store)).toBeUndefined();
    keepJob(undefined, store);
    expect(keptJob('anna', store)).toBeUndefined();
  });
});

describe('a draft', () => {
  it('keeps its text and key across a reload until the action is done', () => {
    const store = storage();
    const draft = new CaseDraft('case_1', 'anna', store);
    draft.write('Booked.');
    const key = draft.keyOf(resolve);
    const again = new CaseDraft('case_1', 'anna', store);
    expect(again.text).toBe('Booked.');
    expect(again.keyOf(resolve)).toBe(key);
    expect(again.keyOf({ ...resolve, text: 'Other.' })).not.toBe(key);
    again.done(resolve);
    expect(store.getItem('financing-console-draft anna case_1')).toBeNull();
  });
});

it('returns the request body of each action', () => {
  expect(bodyOf({ verb: 'assign', text: 'ben' })).toEqual({ assignee: 'ben' });
  expect(bodyOf({ verb: 'assign', text: '' })).toEqual({ assignee: null });
  expect(bodyOf({ verb: 'note', text: 'a' })).toEqual({ note: 'a' });
  expect(bodyOf({ verb: 'ignore', text: 'b' })).toEqual({ reason: 'b' });
});

import type { AnswerOf, InputOf } from '@financing-checkout/contract/reconciliation';
import { describe, expect, it } from 'vitest';
import { ApiError } from '../../api/client.ts';
import { bodyOf, CaseDraft } from './action.ts';
import {
  CASES_OF_REQUEST,
  keepJob,
  keptJob,
  mayRetry,
  newJob,
  retryFailed,
  runJob,
  undoOfJob,
} from './bulk.ts';

const many = Array.from({ length: CASES_OF_REQUEST + 3 }, (_, index) => ({
  id: `case_${index}`,
  name: `${index}`,
  revision: index + 1,
}));
const resolve = { verb: 'resolve', text: 'Booked.' } as const;
const nothing = () => undefined;

type Request = InputOf<'post /cases/operations'> & { key: string };
type Answer = AnswerOf<'post /cases/operations'>;
const idsOf = ({ body }: Request) => body.operations.map(({ caseId }) => caseId);
const REVISION_AFTER = 700;
/** Answers as the API does. @param refused the problem of some cases */
const answerOf = (request: Request, refused = new Map<string, object>()): Answer => ({
  results: idsOf(request).map((caseId) => {
    const problem = refused.get(caseId);
    const done = { caseId, revision: REVISION_AFTER };
    return (problem === undefined ? done : { caseId, problem }) as Answer['results'][number];
  }),
});

class MemoryStorage extends Map<string, string> {
  getItem = (name: string) => this.get(name) ?? null;
  setItem = (name: string, value: string) => void this.set(name, value);
  removeItem = (name: string) => void this.delete(name);
}
const storage = () => new MemoryStorage() as unknown as Storage;

describe('a bulk action', () => {
  it('sends some hundred cases in a request, each request with its own key', async () => {
    const sent: Request[] = [];
    const job = newJob('anna', resolve, many);
    const send = (request: Request) => Promise.resolve(answerOf((sent.push(request), request)));
    expect(await runJob(job, nothing, { send })).toBe(true);
    expect(sent.flatMap(idsOf)).toEqual(many.map(({ id }) => id));
    expect(sent.map((request) => idsOf(request).length)).toEqual([CASES_OF_REQUEST, 3]);
    expect(new Set(sent.map(({ key }) => key)).size).toBe(2);
    expect(sent[1]?.body.operations[0]).toEqual({
      caseId: `case_${CASES_OF_REQUEST}`,
      verb: 'resolve',
      reason: 'Booked.',
      ifRevision: CASES_OF_REQUEST + 1,
    });
  });

  it('says why cases were refused, and retries only these, with a new key', async () => {
    const sent: Request[] = [];
    const job = newJob('anna', resolve, many.slice(0, 5));
    const title = 'Refused';
    const refused = new Map([
      ['case_2', { code: 'case-changed', status: 409, title, detail: 'It was noted.' }],
      ['case_3', { code: 'case-not-permitted', status: 409, title, detail: 'It is closed.' }],
    ]);
    const send = (request: Request) =>
      Promise.resolve(answerOf((sent.push(request), request), refused));
    expect(await runJob(job, nothing, { send })).toBe(true);
    expect(job.items.filter(({ state }) => state === 'done')).toHaveLength(3);
    expect(job.items[2]).toMatchObject({ state: 'failed', problem: 'It was noted.' });
    expect(job.items[3]).toMatchObject({ state: 'failed', problem: 'It is closed.' });
    refused.clear();
    retryFailed(job);
    expect(await runJob(job, nothing, { send })).toBe(true);
    expect(job.items.every(({ state }) => state === 'done')).toBe(true);
    const [first, second] = sent;
    expect(second?.key).not.toBe(first?.key);
    // The person has read what the colleague did with the one, and nothing new of the other.
    expect(second?.body.operations).toEqual([
      { caseId: 'case_2', verb: 'resolve', reason: 'Booked.', ifRevision: undefined },
      { caseId: 'case_3', verb: 'resolve', reason: 'Booked.', ifRevision: 4 },
    ]);
  });

  it('fails all cases of a request that is refused as a whole', async () => {
    const job = newJob('anna', resolve, many.slice(0, 2));
    const error = new ApiError(400, 'invalid-request', { detail: 'until must be a day.' });
    expect(await runJob(job, nothing, { send: () => Promise.reject(error) })).toBe(true);
    expect(job.items.map(({ problem }) => problem)).toEqual(Array(2).fill('until must be a day.'));
  });

  it.each([
    ['the connection is lost', new ApiError(0, 'offline')],
    ['the session ends', new ApiError(401, 'session-ended')],
    ['the process is not the leader', new ApiError(503, 'standby')],
  ])('waits if %s, and repeats the request with its key after a reload', async (_title, error) => {
    const store = storage();
    const sent: Request[] = [];
    let isBroken = true;
    const job = newJob('anna', resolve, many);
    const keep = () => keepJob(job, store);
    keep();
    const send = (request: Request) => {
      sent.push(request);
      return isBroken && sent.length > 1
        ? Promise.reject(error)
        : Promise.resolve(answerOf(request));
    };
    expect(await runJob(job, keep, { send })).toBe(false);
    expect(job.items.filter(({ state }) => state === 'done')).toHaveLength(CASES_OF_REQUEST);
    expect(job.items.some(({ state }) => state === 'failed')).toBe(false);
    isBroken = false;
    const kept = keptJob('anna', store);
    if (kept === undefined) throw new Error('The job was not kept.');
    expect(await runJob(kept, nothing, { send })).toBe(true);
    expect(sent).toHaveLength(3);
    expect(sent[2]).toEqual(sent[1]);
  });

  it('retries no failed case before a request that may have to be repeated is answered', async () => {
    const job = newJob('anna', resolve, many);
    const detail = 'It is closed.';
    const problem = { code: 'case-not-permitted', status: 409, title: 'Refused', detail };
    let isBroken = false;
    const send = (request: Request) => {
      if (isBroken) return Promise.reject(new ApiError(0, 'offline'));
      isBroken = true;
      return Promise.resolve(answerOf(request, new Map([['case_2', problem]])));
    };
    expect(await runJob(job, nothing, { send })).toBe(false);
    expect(mayRetry(job)).toBe(false);
    isBroken = false;
    expect(await runJob(job, nothing, { send })).toBe(true);
    expect(mayRetry(job)).toBe(true);
  });

  it('is undone by as many requests, each case at the revision that the action gave it', async () => {
    const job = newJob('anna', { verb: 'ignore', text: 'Rounding.' }, many);
    const title = 'Refused';
    const problem = { code: 'case-not-permitted', status: 409, title, detail: 'It is closed.' };
    const answer = (request: Request) =>
      Promise.resolve(answerOf(request, new Map([['case_2', problem]])));
    expect(undoOfJob(job)).toBeUndefined();
    await runJob(job, nothing, { send: answer });
    const undo = undoOfJob(job);
    if (undo === undefined) throw new Error('The job cannot be undone.');
    const sent: Request[] = [];
    const send = (request: Request) => Promise.resolve(answerOf((sent.push(request), request)));
    await runJob(undo, nothing, { send });
    expect(sent.map((request) => idsOf(request).length)).toEqual([CASES_OF_REQUEST, 2]);
    expect(sent.flatMap(idsOf)).toEqual(many.map(({ id }) => id).filter((id) => id !== 'case_2'));
    expect(sent[0]?.body.operations[0]).toEqual({
      caseId: 'case_0',
      verb: 'reopen',
      reason: 'undone',
      ifRevision: REVISION_AFTER,
    });
    expect(undoOfJob(undo)).toBeUndefined();
  });

  it.each(['assign', 'note'] as const)('%s is not undone by one press', async (verb) => {
    const job = newJob('anna', { verb, text: 'ben' }, many.slice(0, 2));
    await runJob(job, nothing, { send: (request) => Promise.resolve(answerOf(request)) });
    expect(undoOfJob(job)).toBeUndefined();
  });

  it('merges each case that it has split into its own main case again', async () => {
    const cases = many.slice(0, 2).map((one, index) => ({ ...one, main: `main_${index}` }));
    const job = newJob('anna', { verb: 'split', text: '' }, cases);
    const sent: Request[] = [];
    const send = (request: Request) => Promise.resolve(answerOf((sent.push(request), request)));
    await runJob(job, nothing, { send });
    const undo = undoOfJob(job);
    if (undo !== undefined) await runJob(undo, nothing, { send });
    const revisions = (ifRevision: number) => ({ verb: 'merge', note: undefined, ifRevision });
    expect(sent[1]?.body.operations).toEqual([
      { ...revisions(REVISION_AFTER), caseId: 'case_0', into: 'main_0' },
      { ...revisions(REVISION_AFTER), caseId: 'case_1', into: 'main_1' },
    ]);
  });

  it('is not undone while a request may have taken effect without an answer', async () => {
    const job = newJob('anna', resolve, many);
    let isBroken = false;
    const send = (request: Request) => {
      if (isBroken) return Promise.reject(new ApiError(0, 'offline'));
      isBroken = true;
      return Promise.resolve(answerOf(request));
    };
    expect(await runJob(job, nothing, { send })).toBe(false);
    expect(undoOfJob(job)).toBeUndefined();
    isBroken = false;
    expect(await runJob(job, nothing, { send })).toBe(true);
    expect(undoOfJob(job)?.items).toHaveLength(many.length);
  });

  it('stops between two requests, and offers Undo for the finished ones', async () => {
    const pause = new AbortController();
    const job = newJob('anna', resolve, many);
    const send = (request: Request) => Promise.resolve(answerOf(request));
    const options = { send, signal: pause.signal };
    expect(await runJob(job, () => pause.abort(), options)).toBe(false);
    expect(job.items.filter(({ state }) => state === 'waiting')).toHaveLength(3);
    expect(undoOfJob(job)?.items).toHaveLength(CASES_OF_REQUEST);
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

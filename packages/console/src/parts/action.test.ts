import { LitElement } from 'lit';
import { expect, it } from 'vitest';
import { ApiError } from '../api/client.ts';
import { Action } from './action.ts';

class Host extends LitElement {}
customElements.define('action-host', Host);

/** Returns an action whose requests end as a test says, and their keys. */
function actionOf(options?: ConstructorParameters<typeof Action<[string], string>>[2]) {
  const host = document.body.appendChild(new Host());
  const requests: { key: string; signal: AbortSignal; end: PromiseWithResolvers<string> }[] = [];
  const action = new Action<[string], string>(
    host,
    ({ key, signal }) => {
      const end = Promise.withResolvers<string>();
      requests.push({ key, signal, end });
      return end.promise;
    },
    options,
  );
  const run = async (text: string, outcome: string | Error) => {
    const done = action.run(text);
    const { key, end } = requests.at(-1) ?? {};
    if (typeof outcome === 'string') end?.resolve(outcome);
    else end?.reject(outcome);
    return { isDone: await done, key };
  };
  return { action, host, requests, run };
}

const lost = new ApiError(0, 'offline');
const refused = new ApiError(422, 'invalid');

it('runs once at a time, and has its answer', async () => {
  const { action, requests } = actionOf();
  const first = action.run('a');
  expect(action.isRunning).toBe(true);
  expect(await action.run('b')).toBe(false);
  requests[0]?.end.resolve('answer');
  expect(await first).toBe(true);
  expect(requests).toHaveLength(1);
  expect(action).toMatchObject({ state: 'done', args: ['a'], answer: 'answer' });
});

it('keeps the key of an action whose outcome is unknown, for the same arguments alone', async () => {
  const { run } = actionOf();
  const { key } = await run('a', lost);
  expect((await run('a', lost)).key).toBe(key);
  const other = await run('b', lost);
  expect(other.key).not.toBe(key);
  expect((await run('b', 'answer')).key).toBe(other.key);
  expect((await run('b', 'answer')).key).not.toBe(other.key);
});

it('has a new key after a refusal', async () => {
  const { action, run } = actionOf();
  const { key, isDone } = await run('a', refused);
  expect(isDone).toBe(false);
  expect(action).toMatchObject({ state: 'failed', error: refused });
  expect((await run('a', 'answer')).key).not.toBe(key);
});

it('keeps a key with a name over a reload', async () => {
  const storedAs = (text: string) => `action ${text}`;
  const { key } = await actionOf({ storedAs }).run('a', lost);
  const reloaded = actionOf({ storedAs });
  expect((await reloaded.run('a', 'answer')).key).toBe(key);
  expect(sessionStorage.getItem('action a')).toBeNull();
});

it('distinguishes a conflict from a failure', async () => {
  const { action, run } = actionOf({ conflicts: ['case-changed'] });
  await run('a', new ApiError(409, 'case-changed'));
  expect(action.state).toBe('conflict');
  await run('a', refused);
  expect(action.state).toBe('failed');
});

it('aborts when its element is removed, and ignores a late answer', async () => {
  const { action, host, requests } = actionOf();
  const done = action.run('a');
  host.remove();
  expect(requests[0]?.signal.aborted).toBe(true);
  requests[0]?.end.resolve('late');
  expect(await done).toBe(false);
  expect(action).toMatchObject({ state: 'idle', answer: undefined });
});

it('shows the message for a missing field until the next run', async () => {
  const { action, run } = actionOf();
  await run('a', refused);
  action.refuse('A reason is missing.');
  expect(action).toMatchObject({
    state: 'idle',
    missing: 'A reason is missing.',
    error: undefined,
  });
  await run('a', 'answer');
  expect(action.missing).toBeUndefined();
});

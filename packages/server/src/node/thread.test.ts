import { expect, test } from 'vitest';
import { errorOf, startThread, tellError } from './thread.ts';

class OwnError extends Error {
  override readonly name = 'OwnError';
}
const own = { OwnError };

test('an error of ours comes out of a thread with its words, another one with its name and place', () => {
  const ours = errorOf(tellError(new OwnError('It was refused.'), own), own);
  expect(ours).toBeInstanceOf(OwnError);
  expect(ours.message).toBe('It was refused.');
  const told = tellError(new TypeError('jane@example.com is taken'), own);
  expect(JSON.stringify(told)).not.toContain('jane');
  const other = errorOf(told, own);
  expect(other).not.toBeInstanceOf(OwnError);
  expect(other).toMatchObject({ name: 'TypeError', message: 'The thread failed (TypeError).' });
  expect(other.stack).toContain('thread.test.ts');
  // Not one of ours, whatever it is called.
  const odd = errorOf({ name: 'constructor', message: '', frames: [] }, own);
  expect(odd.message).toBe('The thread failed (constructor).');
});

test('who started a thread hears once why it ended, and it keeps to its heap', async () => {
  const heard: Error[] = [];
  const heap = { maxYoungGenerationSizeMb: 8, maxOldGenerationSizeMb: 64 };
  const thread = startThread({
    main: './unit-thread-main',
    name: 'without-data',
    data: { file: null },
    heap,
    onMessage: () => undefined,
    onEnd: (error) => heard.push(error),
  });
  expect(thread.resourceLimits).toMatchObject(heap);
  await new Promise<void>((resolve) => thread.on('exit', () => resolve()));
  expect(heard).toMatchObject([{ name: 'TypeError' }]);
});

import { expect, test } from 'vitest';
import { startThread } from './thread.ts';

test('reports once why a thread ended and limits its heap', async () => {
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

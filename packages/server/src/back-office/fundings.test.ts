import { expect, test, vi } from 'vitest';
import { streamText } from './fundings.ts';

test('cancels the source when the reader stops', async () => {
  let made = 0;
  const ended = vi.fn();
  async function* pieces(): AsyncGenerator<string> {
    try {
      for (;;) yield await Promise.resolve(`${++made}\n`);
    } finally {
      ended();
    }
  }
  const rest = pieces();
  const failed = vi.fn();
  const reader = streamText(await rest.next(), rest, failed).getReader();
  await reader.read();
  await reader.cancel();
  expect(ended).toHaveBeenCalledOnce();
  expect(made).toBeLessThan(4);
  expect(failed).not.toHaveBeenCalled();
});

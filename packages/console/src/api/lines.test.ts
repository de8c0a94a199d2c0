import { expect, it } from 'vitest';
import { linesOf } from './lines.ts';

/** Returns a body that arrives in chunks of `size` bytes. */
function bodyOf(text: string, size: number): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  return new ReadableStream({
    start(controller) {
      for (let at = 0; at < bytes.length; at += size)
        controller.enqueue(bytes.slice(at, at + size));
      controller.close();
    },
  });
}

it.each([1, 3, 7, 1000])('reads lines that arrive in chunks of %i bytes', async (size) => {
  const lines = [{ name: 'Größe' }, { name: 'zwei\nZeilen' }, { kind: 'summary' }];
  const text = lines.map((line) => JSON.stringify(line)).join('\n');
  for (const body of [text, `${text}\n`]) {
    const read: unknown[] = [];
    for await (const line of linesOf(bodyOf(body, size))) read.push(line);
    expect(read).toEqual(lines);
  }
});

it('throws if the response is truncated within a line', async () => {
  const read: unknown[] = [];
  const reading = async () => {
    for await (const line of linesOf(bodyOf('{"a":1}\n{"b"', 4))) read.push(line);
  };
  await expect(reading()).rejects.toThrow(SyntaxError);
  expect(read).toEqual([{ a: 1 }]);
});

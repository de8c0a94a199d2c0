import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { promptOf } from './shell.ts';

function terminal() {
  const input = Object.assign(new PassThrough(), { isTTY: true });
  const output = Object.assign(new PassThrough(), { isTTY: true });
  return { input, output, shown: () => String(output.read() ?? '') };
}

it('prompts at a terminal, one question at a time', async () => {
  const { input, output, shown } = terminal();
  const prompt = promptOf(input, output);
  const first = prompt?.('Replace? ');
  input.write('replace\r');
  expect(await first).toBe('replace');
  expect(shown()).toContain('Replace? ');
  const second = prompt?.('Skip? ');
  input.write('no\r');
  expect(await second).toBe('no');
});

it.each([
  ['Ctrl-C', '\u0003'],
  ['Ctrl-D', '\u0004'],
])('returns nothing for %s', async (_, key) => {
  const { input, output } = terminal();
  const answer = promptOf(input, output)?.('Replace? ');
  input.write(key);
  expect(await answer).toBeUndefined();
});

it('returns undefined when the input ends', async () => {
  const { input, output } = terminal();
  const answer = promptOf(input, output)?.('Replace? ');
  input.end();
  expect(await answer).toBeUndefined();
});

it('prompts only if both input and output are terminals', () => {
  const { input, output } = terminal();
  expect(promptOf(new PassThrough() as never, output)).toBeUndefined();
  expect(promptOf(input, new PassThrough() as never)).toBeUndefined();
});

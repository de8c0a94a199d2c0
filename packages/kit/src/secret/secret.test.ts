import { inspect } from 'node:util';
import { expect, test, vi } from 'vitest';
import { Redacted, Secret } from './secret.ts';

const VALUE = 'open-sesame-0123456789';

class Derived extends Redacted {
  readonly #value = VALUE;
  readonly length = this.#value.length;
}

test.each([
  ['a secret', new Secret(VALUE)],
  ['a derived class', new Derived()],
])('%s prints as "[redacted]" in every form', (_, secret) => {
  const forms = [
    String(secret),
    `${String(secret)}!`,
    JSON.stringify({ secret }),
    inspect(secret, { showHidden: true, depth: 9 }),
    inspect({ deep: [secret] }, { depth: 9 }),
    JSON.stringify(Object.entries(secret)),
    new Error(String(secret)).message,
  ];
  expect(forms.filter((form) => form.includes(VALUE))).toEqual([]);
  expect(forms.slice(0, 4)).toEqual([
    '[redacted]',
    '[redacted]!',
    '{"secret":"[redacted]"}',
    '[redacted]',
  ]);
});

test('reveals its value on request and compares it', () => {
  const secret = new Secret(VALUE);
  expect(secret.reveal()).toBe(VALUE);
  expect([VALUE, `${VALUE}0`, ''].map((guess) => secret.equals(guess))).toEqual([
    true,
    false,
    false,
  ]);
});

test('keeps the previous value, but no earlier one', () => {
  const secret = new Secret('one');
  expect(secret.values()).toEqual(['one']);
  for (const next of ['two', 'three']) secret.replace(next);
  expect([secret.reveal(), secret.values()]).toEqual(['three', ['three', 'two']]);
  expect(JSON.stringify({ secret })).toBe('{"secret":"[redacted]"}');
});

test('a wrong guess takes the same number of steps at any position of the first difference', () => {
  function steps(guess: string): number {
    const spy = vi.spyOn(String.prototype, 'charCodeAt');
    try {
      expect(new Secret(VALUE).equals(guess)).toBe(false);
      return spy.mock.calls.length;
    } finally {
      spy.mockRestore();
    }
  }
  expect(steps(`X${VALUE.slice(1)}`)).toBeGreaterThanOrEqual(2 * VALUE.length);
  expect(steps(`X${VALUE.slice(1)}`)).toBe(steps(`${VALUE.slice(0, -1)}X`));
});
